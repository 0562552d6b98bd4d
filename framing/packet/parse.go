package packet

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Parser reads a packet frame by frame. Reset makes it ready for the next packet.
type Parser struct {
	left   wire.Reader
	frames int // so far
	follow follow
	xors   int // so far
	fault  Fault
}

// Check returns the first fault of the packet, Valid if it has none.
func Check(packet []byte) Fault {
	var p Parser
	var f Frame
	p.Reset(packet)
	for p.Next(&f) {
	}
	return p.Fault()
}

// Reset makes p start with the first frame of the packet.
func (p *Parser) Reset(packet []byte) {
	*p = Parser{left: wire.NewReader(packet)}
	switch {
	case len(packet) == 0:
		p.fault = FaultEmpty
	case len(packet) > MaxPacket:
		p.fault = FaultOversize
	}
}

// Next reads the next frame into f, in which it sets Kind and the field of that kind. It returns false after the last frame and at a
// fault, which Fault tells.
//
// Payloads, texts and runs in f are parts of the packet, valid as long as it is.
func (p *Parser) Next(f *Frame) bool {
	if p.fault != Valid || p.left.Len() == 0 {
		return false
	}
	p.fault = p.parse(f)
	return p.fault == Valid
}

// Fault returns the fault at which Next ended, Valid if there was none so far. A packet is free of faults only once Next went to
// its end.
func (p *Parser) Fault() Fault { return p.fault }

func (p *Parser) parse(f *Frame) Fault {
	if p.frames == MaxFrames {
		return FaultFrames
	}
	p.frames++

	head := p.left.Uint8()
	f.Kind = framing.Kind(head & kindBits)
	flags := head &^ kindBits
	info := &kinds[f.Kind]
	switch {
	case info.name == "":
		return FaultKind
	case flags&^info.flags != 0:
		return FaultFlags
	}
	switch f.Kind {
	case KindUnreliable:
		return p.unreliable(&f.Unreliable, flags)
	case KindReliable:
		return p.reliable(&f.Reliable, flags)
	case KindAck:
		return p.ack(&f.Ack, flags)
	case KindDisconnect:
		return p.disconnect(&f.Disconnect, flags)
	case KindCredit:
		return p.credit(&f.Credit, flags)
	case KindClock:
		f.Clock.Time = int64(p.left.Uint64())
		return shortness(&p.left)
	case KindXor:
		return p.xor(&f.Xor, flags)
	case KindParity:
		return p.parity(&f.Parity, flags)
	case KindPathChallenge, KindPathResponse:
		copy(f.Path.Random[:], p.left.Raw(randomSize))
		return shortness(&p.left)
	case KindTicket:
		return p.ticket(&f.Ticket, flags)
	default: // Heartbeat has no body
		return Valid
	}
}

func (p *Parser) unreliable(f *Unreliable, flags uint8) (fault Fault) {
	*f = Unreliable{}
	if flags&flagExt != 0 {
		if fault = p.ext(f); fault != Valid {
			return fault
		}
	}
	if f.Payload, fault = p.body(flags); fault != Valid {
		return fault
	}
	return f.fault()
}

// ext reads the fields of an Unreliable that EXT announces.
func (p *Parser) ext(f *Unreliable) Fault {
	ext := p.left.Uint8()
	f.Channel = ext & channelBits
	f.Sequenced = ext&extSequenced != 0
	if f.Sequenced {
		f.Seq = p.left.Uint16()
	}
	isFragment := ext&extFragment != 0
	if isFragment {
		f.Message, f.Index, f.Count = p.left.Uint16(), p.left.Uint16(), p.left.Uint16()
	}
	switch {
	case p.left.Err() != nil:
		return FaultShort
	case ext == 0:
		return FaultExt
	case isFragment && f.Count == 0:
		return FaultFragment
	}
	return Valid
}

func (p *Parser) reliable(f *Reliable, flags uint8) (fault Fault) {
	how := p.left.Uint8()
	f.First, f.Last = how&howFirst != 0, how&howLast != 0
	if how&howFollows != 0 {
		fault = p.following(f, how)
	} else {
		fault = p.leading(f, how)
	}
	if fault != Valid {
		return fault
	}
	if f.Payload, fault = p.body(flags); fault != Valid {
		return fault
	}
	p.follow.pass(f)
	if fault = f.fault(); fault == Valid && p.xors > 0 {
		return FaultXor
	}
	return fault
}

// following gives a Reliable with FOLLOWS the stream and sequence that the one before leads to.
func (p *Parser) following(f *Reliable, how uint8) Fault {
	f.Stream, f.Seq = p.follow.stream, p.follow.seq
	switch {
	case how&howNothing != 0:
		return FaultFlags
	case !p.follow.any, how&(howChannel|howMode) != 0:
		return FaultFollows
	}
	return p.follow.fault(f)
}

// leading reads the stream and sequence of a Reliable without FOLLOWS.
func (p *Parser) leading(f *Reliable, how uint8) Fault {
	var channel uint8
	if how&howChannel != 0 {
		channel = p.left.Uint8()
	}
	mode := how & howMode
	f.Stream = Stream(channel&channelBits | mode<<modeShift)
	f.Seq = p.left.Uint16()
	switch {
	case p.left.Err() != nil:
		return FaultShort
	case how&howNothing != 0:
		return FaultFlags
	case mode >= numModes:
		return FaultMode
	case how&howChannel != 0 && channel == 0, channel > MaxChannel:
		return FaultChannel
	case p.follow.leadsTo(f):
		return FaultUnfollowed
	}
	return Valid
}

func (p *Parser) ack(f *Ack, flags uint8) (fault Fault) {
	*f = Ack{Form: Form(flags >> formShift), Largest: p.left.Uint16(), Delay: p.left.Uint8()}
	switch f.Form {
	case Bitmap32:
		f.Bitmap = uint64(p.left.Uint32())
	case Bitmap64:
		f.Bitmap = p.left.Uint64()
	case Ranges:
		f.Runs, fault = readRuns(&p.left)
		return fault
	}
	return shortness(&p.left)
}

func (p *Parser) disconnect(f *Disconnect, flags uint8) (fault Fault) {
	f.Code = p.left.Uint16()
	if f.Text, fault = p.body(flags); fault != Valid {
		return fault
	}
	return f.fault()
}

func (p *Parser) credit(f *Credit, flags uint8) Fault {
	*f = Credit{All: flags&flagAll != 0}
	if !f.All {
		f.Stream, f.Seq = Stream(p.left.Uint8()), p.left.Uint16()
	}
	f.Bytes = p.left.Uint32()
	if p.left.Err() != nil {
		return FaultShort
	}
	return f.fault()
}

func (p *Parser) xor(f *Xor, flags uint8) (fault Fault) {
	*f = Xor{Stream: Stream(p.left.Uint8()), Seq: p.left.Uint16(), Count: flags>>countShift + 1, Lengths: p.left.Uint8()}
	if f.Parity, fault = p.body(flags); fault != Valid {
		return fault
	}
	if p.xors++; p.xors > MaxXors {
		return FaultXor
	}
	return f.fault()
}

func (p *Parser) ticket(f *Ticket, flags uint8) (fault Fault) {
	copy(f.PSK[:], p.left.Raw(keySize))
	if f.Ticket, fault = p.body(flags); fault != Valid {
		return fault
	}
	return f.fault()
}

func (p *Parser) parity(f *Parity, flags uint8) (fault Fault) {
	*f = Parity{Lossy: flags&flagLossy != 0}
	stream := p.left.Uint8()
	if f.Lossy {
		f.Channel, f.Sequenced, f.Message = stream&channelBits, stream&extSequenced != 0, p.left.Uint16()
		if f.Sequenced {
			f.Seq = p.left.Uint16()
		}
	} else {
		f.Stream, f.Seq = Stream(stream), p.left.Uint16()
	}
	f.Count, f.Index, f.Last = p.left.Uint8(), p.left.Uint8(), p.left.Uint16()
	switch {
	case p.left.Err() != nil:
		return FaultShort
	case f.Lossy && stream&extFragment != 0:
		return FaultFlags
	}
	if f.Bytes, fault = p.body(flags); fault != Valid {
		return fault
	}
	return f.fault()
}

// body reads the last field of a frame: as many bytes as its length says if it has one, else all that is left.
func (p *Parser) body(flags uint8) ([]byte, Fault) {
	if flags&flagLength == 0 {
		return p.left.Rest(), shortness(&p.left)
	}
	n, fault := readVarint(&p.left)
	if fault != Valid {
		return nil, fault
	}
	rest := p.left.Rest()
	switch {
	case n > len(rest):
		return nil, FaultShort
	case n == len(rest):
		return nil, FaultLast
	}
	p.left = wire.NewReader(rest[n:])
	return rest[:n:n], Valid
}
