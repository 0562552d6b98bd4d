package system

import (
	"io"

	"github.com/gannet-net/gannet/msgs"
)

const (
	chunkSize = 960      // bytes of a file in a message
	listPart  = 4        // files of the list in a message
	window    = 64 << 10 // bytes of a file that may be under way
)

// upload is a file on its way to a client. What a client has asked for from an offset on confirms what is before it.
type upload struct {
	file      *WorkshopFile
	source    io.ReaderAt
	next      uint32 // the first byte that was not sent
	confirmed uint32
	counted   uint32 // what was confirmed when the client last went on
}

// stop ends what is under way.
func (u *upload) stop() {
	closeIfPossible(u.source)
	*u = upload{}
}

// closeIfPossible closes what the game opened, if that has a method for it.
func closeIfPossible(v any) {
	if c, ok := v.(io.Closer); ok {
		_ = c.Close()
	}
}

// listFiles tells a client which files it needs.
func (s *Server) listFiles(p *Player) bool {
	files := s.config.Files
	for first := 0; first == 0 || first < len(files); first += listPart {
		part := files[first:min(first+listPart, len(files))]
		_ = s.Send(p, DownloadWorkshopFiles{List: true, First: uint8(first), Total: uint8(len(files)), Files: part})
	}
	return false
}

func (s *Server) getWorkshopFiles(in *msgs.In, m *GetWorkshopFiles) {
	p, ok := s.inTurn(in)
	switch {
	case !ok:
	case m.Want == m.Done:
		s.badPacket(p)
	case m.Done:
		p.upload.stop()
		s.proceed(p)
	case p.upload.confirm(m):
		if p.upload.hasGoneOn() {
			p.since = s.config.Clock()
		}
	default:
		s.startUpload(p, m)
	}
}

// confirm takes a request that goes on with what is under way.
func (u *upload) confirm(m *GetWorkshopFiles) bool {
	if u.file == nil || u.file.ID != m.File || m.Offset <= u.confirmed || m.Offset > u.next {
		return false
	}
	u.confirmed = m.Offset
	return true
}

// hasGoneOn reports whether as much was confirmed as a client asks for at a time. With less it could stay for ever, a byte at a time.
func (u *upload) hasGoneOn() bool {
	if u.confirmed-u.counted < window/2 {
		return false
	}
	u.counted = u.confirmed
	return true
}

// startUpload begins to send a file from an offset on. A client begins with each file at most twice: once more if what it has turns out to be wrong.
func (s *Server) startUpload(p *Player, m *GetWorkshopFiles) {
	if p.uploads >= 2*len(s.config.Files) {
		s.badPacket(p)
		return
	}
	for i := range s.config.Files {
		f := &s.config.Files[i]
		if f.ID != m.File || m.Offset >= f.Size {
			continue
		}
		p.uploads++
		p.since = s.config.Clock()
		p.upload.stop()
		p.upload = upload{file: f, source: s.config.Open(f.ID), next: m.Offset, confirmed: m.Offset, counted: m.Offset}
		if p.upload.source == nil {
			s.end(p, Rejected{ReasonFiles, "the server does not have the file"})
		}
		return
	}
	s.badPacket(p)
}

// sendChunks sends as much of a file as may be under way. It runs once a frame, whatever a client asks for meanwhile.
func (s *Server) sendChunks(p *Player) {
	u := &p.upload
	if u.file == nil {
		return
	}
	var data [chunkSize]byte
	for u.next < u.file.Size && u.next-u.confirmed < window && p.peer.Conn().Sendable() > window {
		n := int(min(chunkSize, u.file.Size-u.next))
		if read, _ := u.source.ReadAt(data[:n], int64(u.next)); read < n {
			s.end(p, Rejected{ReasonFiles, "the server cannot read the file"})
			return
		}
		if s.Send(p, DownloadWorkshopFiles{Chunk: true, File: u.file.ID, Offset: u.next, Data: data[:n]}) != nil {
			return // again in the next frame
		}
		u.next += uint32(n)
	}
}
