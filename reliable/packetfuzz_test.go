package reliable

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

func hostileScript(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 99))
	script := make([]byte, 50+r.IntN(600))
	for i := range script {
		script[i] = byte(r.Uint32())
	}
	return script
}

func TestSessionEndsByTheRulesOnlyWhateverAPeerSends(t *testing.T) {
	for seed := range uint64(2000) {
		playHostilePackets(t, hostileScript(seed))
	}
}

// hostilePeer is a session under fuzz and its peer.
type hostilePeer struct {
	*hostile
	script  []byte
	number  int64
	acked   bool // the packet that is made has an ack
	offence bool // the peer broke a rule
}

// playHostilePackets plays a script on the packet wire: the peer knows the keys, and sends arbitrary packets and valid frames with hostile values. The
// session may end only because a rule was broken or a side left.
func playHostilePackets(t *testing.T, script []byte) {
	cfg := Config{Role: framing.Role(len(script) & 1), Sealer: nullSealer{}, UnreadMessages: 8, UnreadBytes: 4096, SendQueueMessages: 16, Pool: &Pool{Poison: true}}
	cfg.Channels = []Channel{{}, {Class: ClassBulk}}
	p := &hostilePeer{hostile: &hostile{t: t, e: New(start, cfg), now: start}, script: script}
	for len(p.script) >= 2 {
		p.step(p.byte())
		p.check()
	}
	p.e.Abort(p.now)
	for range 20 {
		p.now += int64(time.Second)
		p.check()
	}
	p.read()
	require.True(t, p.e.Finished())
	require.Zero(t, p.e.pool.Outstanding(), "every buffer is back")
}

func (p *hostilePeer) byte() byte {
	if len(p.script) == 0 {
		return 0
	}
	b := p.script[0]
	p.script = p.script[1:]
	return b
}

func (p *hostilePeer) uint16() uint16 { return uint16(p.byte()) | uint16(p.byte())<<8 }

func (p *hostilePeer) step(op byte) {
	n := int(p.byte())
	switch op % 16 {
	case 0:
		if n > 32 {
			return // seldom: that is the end
		}
		n = min(n, len(p.script))
		p.give(p.script[:n])
		p.script = p.script[n:]
	case 1, 2, 3:
		o := SendOptions{Mode: Mode(n % 5), Channel: uint8(n / 5 % 3), Receipt: uint64(n % 3), TTL: time.Duration(n%5) * ms, Urgent: n%7 == 0}
		_ = p.e.Send(p.now, make([]byte, n*8<<(op>>6)), o) // up to 16 fragments
	case 4:
		p.now += int64(n) * int64(ms)
	case 5:
		p.read()
	case 6:
		if n > 250 {
			p.e.Close(p.now)
		}
	case 7:
		p.number += int64(n)
	case 8:
		p.migrate(n)
	default:
		if plain := p.packet(n%8 + 1); len(plain) > 0 {
			p.give(plain)
		}
	}
}

// migrate is what a shell does about addresses and tickets.
func (p *hostilePeer) migrate(n int) {
	switch n % 4 {
	case 0:
		p.e.AppendPathChallenge(p.now, nil, [8]byte{byte(n)})
	case 1:
		_ = p.e.SendTicket(p.now, [32]byte{}, make([]byte, n*2))
	case 2:
		p.e.PathChanged(p.now, time.Duration(n)*ms)
	default:
		p.e.PollTicket()
		p.e.PollPathResponse()
	}
}

// packet is a packet of up to n frames that are valid one by one.
func (p *hostilePeer) packet(n int) []byte {
	var b packet.Builder
	b.Reset(nil, packet.MaxPacket)
	p.acked = false
	for range n {
		func() {
			defer func() { _ = recover() }() // a Builder refuses what no packet may have
			p.frame(&b)
		}()
	}
	return b.Bytes()
}

func (p *hostilePeer) frame(b *packet.Builder) {
	n := p.byte()
	switch n % 8 {
	case 0, 1, 2:
		b.AppendReliable(packet.Reliable{
			Stream: packet.StreamOf(n>>3%4, packet.Mode(n>>5%3)), Seq: p.near(p.next(n)), First: n != 0x10, Last: n != 0x11,
			Payload: make([]byte, int(p.byte())*4),
		})
	case 3:
		b.AppendUnreliable(packet.Unreliable{
			Channel: n >> 6, Message: uint16(n >> 3 & 3), Index: uint16(p.byte() & 3), Count: uint16(2 + p.byte()&3), Payload: make([]byte, 1+n>>2),
		})
	case 4:
		if n&8 != 0 {
			b.AppendParity(p.parity(n))
			return
		}
		b.AppendUnreliable(packet.Unreliable{Channel: n >> 6, Sequenced: true, Seq: p.near(0), Payload: make([]byte, 3)})
	case 5:
		if f := p.ack(n); n == 0xFD || !p.acked && p.e.packets.sent.truthful(&f) {
			p.acked = b.AppendAck(f)
		}
	case 6:
		b.AppendCredit(packet.Credit{All: true, Bytes: uint32(p.uint16()) << (n >> 3)})
		b.AppendCredit(packet.Credit{Stream: packet.StreamOf(n>>3, packet.Mode(n>>6%3)), Seq: p.near(0), Bytes: uint32(p.uint16()) << (n >> 3)})
	case 7:
		if n&8 != 0 {
			b.AppendXor(packet.Xor{
				Stream: packet.StreamOf(n>>4%2, packet.Mode(n>>5%2)), Seq: p.near(p.next(n)), Count: 2 + p.byte()%3,
				Lengths: p.byte() * 4, Parity: make([]byte, 1+p.byte()),
			})
			return
		}
		switch n >> 4 & 7 {
		case 1, 5:
			b.AppendPathChallenge(packet.Path{Random: [8]byte{p.byte()}})
			return
		case 2, 6:
			b.AppendPathResponse(packet.Path{Random: [8]byte{p.byte()}})
			return
		case 3:
			if p.e.cfg.Role == framing.Client || n == 0xB7 {
				b.AppendTicket(packet.Ticket{Ticket: make([]byte, 1+int(p.byte())*2)})
			}
			return
		}
		b.AppendClock(packet.Clock{Time: int64(binary.LittleEndian.Uint64([]byte{n, n, p.byte(), n, n, n, p.byte(), p.byte()}))})
	}
}

// parity is of few messages and sizes, so that some fit.
func (p *hostilePeer) parity(n byte) packet.Parity {
	f := packet.Parity{Count: 2 + p.byte()%4, Index: p.byte() % 8, Bytes: make([]byte, 4*(1+int(p.byte()%3)))}
	f.Last = uint16(1 + int(p.byte())%len(f.Bytes))
	if n&16 != 0 {
		f.Lossy, f.Channel, f.Message = true, n>>6, uint16(n>>3&3)
	} else {
		f.Stream, f.Seq = packet.StreamOf(n>>3%4, packet.Mode(n>>5%3)), p.near(p.next(n))
	}
	return f
}

// ack is mostly one that may be true.
func (p *hostilePeer) ack(n byte) packet.Ack {
	last := p.e.packets.sent.next - 1
	f := packet.Ack{Form: packet.Form(n >> 3 % 3), Delay: p.byte()}
	f.Largest = uint16(max(0, last-int64(p.byte()%4)))
	if f.Form != packet.Bare && last > 64 {
		f.Bitmap = uint64(p.uint16())
	}
	if n == 0xFD {
		f.Largest = p.near(0)
	}
	return f
}

func (p *hostilePeer) next(n byte) int32 {
	if s := p.e.knownStream(packet.StreamOf(n>>3%4, packet.Mode(n>>5%3))); s != nil {
		return s.window.next
	}
	return 0
}

// near is a sequence near to what the endpoint expects, mostly.
func (p *hostilePeer) near(next int32) uint16 {
	switch n := p.byte(); {
	case n < 200:
		return uint16(next + int32(n%8) - 2)
	case n < 240:
		return uint16(next + int32(n)*5)
	}
	return p.uint16()
}

func (p *hostilePeer) give(plain []byte) {
	if len(plain) > packet.MaxPacket {
		return
	}
	over := p.e.State() == StateClosed
	drop := p.e.HandleDatagram(p.now, nullSealer{}.Seal(nil, plain, p.number))
	p.number++
	p.offence = p.offence || drop == framing.DropProtocol && !over
}

// check sends what is due and holds the limits.
func (p *hostilePeer) check() {
	e := p.e
	sent := 0
	for d := e.PollDatagram(p.now, nil); len(d) > 0; d = e.PollDatagram(p.now, nil) {
		plain, _, drop := nullSealer{}.Open(nil, d, -1)
		if drop != framing.Accepted || packet.Check(plain) != packet.Valid {
			p.t.Fatalf("it sent % x", d)
		}
		if sent++; sent > 3000 {
			p.t.Fatal("it never stops sending")
		}
	}
	if e.NextDeadline() <= p.now {
		p.t.Fatal("a deadline lies behind though nothing is to be done")
	}
	if e.state == StateClosed {
		return
	}
	require.False(p.t, p.offence, "a session ends with the first offence")
	holdsLimits(p.t, e)
}

func (p *hostilePeer) read() {
	for {
		ev, ok := p.e.PollEvent()
		if !ok {
			return
		}
		require.Zero(p.t, p.end, "nothing comes after the last event")
		switch ev.Kind {
		case EventMessage:
			p.e.Recycle(ev.Payload)
		case EventDisconnected:
			require.Equal(p.t, p.offence, ev.Cause == ProtocolError, "cause %d", ev.Cause)
			p.end++
		}
	}
}
