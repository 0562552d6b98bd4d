package system

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/gannet-net/gannet/msgs"
)

// Store keeps files.
type Store interface {
	// Open opens a file of the server. It may hold what an earlier download left: bytes from its beginning on. Those beyond the size of the file are no part of
	// it: nobody compares or removes them.
	Open(WorkshopFile) (File, error)
}

// File is where a download goes. It is closed after use if it can be.
type File interface {
	io.ReaderAt
	io.WriterAt
	Size() int64 // bytes that are there
}

// Progress is how far a download has come.
type Progress struct {
	File         WorkshopFile
	Index, Files int    // of the files of the server, counted from 0
	Bytes        uint32 // of the file that are here
}

const (
	readPerTick = 8 << 20 // bytes of earlier downloads that are read again in a frame: 1 GiB takes less than ServerConfig.JoinTimeout, in which the server hears nothing
	readPiece   = 32 << 10
)

// download gets the files of a server, one after the other.
type download struct {
	listed bool
	files  []WorkshopFile // as far as they were listed
	total  int
	index  int // of the file that is being fetched

	file      File
	hash      hash.Hash
	kept      uint32 // bytes of an earlier download
	have      uint32 // bytes that are in hash
	asked     uint32 // what was last confirmed to the server
	requested bool
	again     bool // it was fetched once more
}

var (
	errNoStore  = errors.New("system: the server has files, and there is no Store")
	errTooLarge = errors.New("system: the files of the server are above MaxDownload")
)

func (c *Client) downloadWorkshopFiles(in *msgs.In, m *DownloadWorkshopFiles) {
	if !c.inTurn(in) {
		return
	}
	if m.List {
		c.list(m)
	}
	if m.Chunk {
		c.chunk(m)
	}
}

// list takes a part of the list of files, which come in order.
func (c *Client) list(m *DownloadWorkshopFiles) {
	d := &c.download
	if d.listed || int(m.First) != len(d.files) || len(d.files)+len(m.Files) > int(m.Total) || len(m.Files) == 0 && m.Total > 0 {
		c.stats.OutOfTurn++
		return
	}
	d.total = int(m.Total)
	d.files = append(d.files, m.Files...)
	d.listed = len(d.files) == d.total
	if !d.listed {
		return
	}
	var size uint64
	for _, f := range d.files {
		size += uint64(f.Size)
	}
	switch {
	case size > c.config.MaxDownload:
		c.fail(errTooLarge)
	case d.total > 0 && c.config.Store == nil:
		c.fail(errNoStore)
	default:
		c.nextFile()
	}
}

// fail ends a session in which the files cannot be had.
func (c *Client) fail(err error) {
	c.ends(Ending{Cause: EndFiles, Err: err})
	_ = GracefullyDisconnect{}.Send(c.router.Host())
	_ = c.conn.Close()
}

// nextFile opens the file that is next, or tells the server that all are here.
func (c *Client) nextFile() {
	d := &c.download
	if d.index == d.total {
		_ = c.Send(GetWorkshopFiles{Done: true})
		c.proceed()
		return
	}
	file, err := c.config.Store.Open(d.files[d.index])
	if err != nil {
		c.fail(fmt.Errorf("system: file %d cannot be kept: %w", d.files[d.index].ID, err))
		return
	}
	d.file = file
	d.begin(uint32(min(max(file.Size(), 0), int64(d.files[d.index].Size))))
}

// begin begins with a file of which some bytes are here.
func (d *download) begin(kept uint32) {
	d.hash, d.kept, d.have, d.asked, d.requested = sha256.New(), kept, 0, 0, false
}

// close ends the work on a file.
func (d *download) close() {
	if d.file != nil {
		closeIfPossible(d.file)
		d.file = nil
	}
}

// tickDownload reads what earlier downloads left, and asks for the rest.
func (c *Client) tickDownload() {
	d := &c.download
	if c.stage != StageFiles || d.file == nil || c.ending != nil {
		return
	}
	var piece [readPiece]byte
	for budget := readPerTick; d.have < d.kept && budget > 0; budget -= readPiece {
		n := min(uint32(readPiece), d.kept-d.have)
		if read, _ := d.file.ReadAt(piece[:n], int64(d.have)); uint32(read) < n {
			d.begin(0) // what is there cannot be used
			return
		}
		d.hash.Write(piece[:n])
		d.have += n
	}
	switch size := d.files[d.index].Size; {
	case d.have < d.kept:
	case d.have == size:
		c.complete()
	case !d.requested:
		d.requested = true
		c.request()
	}
}

// request asks for the bytes that follow those that are here.
func (c *Client) request() {
	d := &c.download
	d.asked = d.have
	_ = c.Send(GetWorkshopFiles{Want: true, File: d.files[d.index].ID, Offset: d.have})
}

// chunk takes a piece of the file. They come in order: another one is left from before.
func (c *Client) chunk(m *DownloadWorkshopFiles) {
	d := &c.download
	if !d.expects(m) {
		c.stats.Chunks++
		return
	}
	if _, err := d.file.WriteAt(m.Data, int64(d.have)); err != nil {
		c.fail(fmt.Errorf("system: file %d cannot be kept: %w", m.File, err))
		return
	}
	d.hash.Write(m.Data)
	d.have += uint32(len(m.Data))
	c.tell()
	switch {
	case d.have == d.files[d.index].Size:
		c.complete()
	case d.have-d.asked >= window/2:
		c.request()
	}
}

// expects reports whether a piece is the one that is next.
func (d *download) expects(m *DownloadWorkshopFiles) bool {
	if d.file == nil || !d.requested || len(m.Data) == 0 {
		return false
	}
	f := &d.files[d.index]
	return m.File == f.ID && m.Offset == d.have && uint64(m.Offset)+uint64(len(m.Data)) <= uint64(f.Size)
}

// tell tells the game how far the file has come.
func (c *Client) tell() {
	if d := &c.download; c.config.Progress != nil {
		c.config.Progress(Progress{File: d.files[d.index], Index: d.index, Files: d.total, Bytes: d.have})
	}
}

// complete compares the file with its hash. One that is wrong is fetched anew, once.
func (c *Client) complete() {
	d := &c.download
	f := d.files[d.index]
	switch right := [32]byte(d.hash.Sum(nil)) == f.Hash; {
	case right:
		d.close()
		d.again = false
		d.index++
		c.nextFile()
	case d.again:
		c.fail(fmt.Errorf("system: file %d is not what the server announced", f.ID))
	default:
		d.again = true
		d.begin(0)
	}
}
