package reliable

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/internal/erasure"
)

// packets is the test language for the packet wire: it plays the peer and the application of one endpoint. A packet is written as its
// frames, "ack @0 and @1-2; ordered 3 hello; unreliable x":
//
//	ordered 3 text      a reliable message; also unordered and sequenced; with "/5" behind the word on channel 5
//	ordered 3< text     the first fragment of one; 4- is a middle one, 5> the last
//	unreliable text     with "/5" on channel 5
//	newest 7 text       unreliable and sequenced
//	part 9 0/3 text     fragment 0 of 3 of the unreliable message 9; newestpart 7 9 0/3 text of a sequenced one
//	ack @0 late 4 and @1-2   largest and what else: "and" is a bitmap of 32, "and64" of 64, "runs" are ranges; @0 is the
//	                    last packet that was sent, @1 the one before
//	xor ordered 3 a|bc  covers the messages 3 "a" and 4 "bc"; one that was sent is told without the messages: xor ordered 3-4
//	parity ordered 3 1 aa|aa|b   the second parity of a message in three fragments; part 9 1 aa|b of the unreliable message 9, newestpart 7 9 1 aa|b
//	                    of a sequenced one; one that was sent is told without the fragments: parity ordered 3 1/3
//	challenge 5, response 5   5 is the first byte of the random
//	ticket text         with a psk that starts with 7
//	credit all 5000, credit ordered/5 1024 5000, clock 77, heartbeat, disconnect 7 text
type packets struct {
	*script
	number  int64   // of the next packet of the peer
	sent    []int64 // numbers of the packets that the endpoint sent
	last    []byte  // the last datagram that the endpoint sent
	inboxed []byte  // the last datagram that it got
}

// newPackets returns a connected endpoint with a round trip of 50 ms that has exchanged clocks just now.
func newPackets(t *testing.T, change ...func(*Config)) *packets {
	t.Helper()
	s := &packets{script: newScript(t, Config{Role: framing.Client, Sealer: nullSealer{}, HandshakeRTT: 50 * ms}, change)}
	s.reads("connected")
	s.gets("heartbeat").wait(time.Second)
	return s.sends("ack @0 late 255; clock").wait(10 * ms)
}

// newSettled is newPackets after 200 messages with clean round trips: the deadline is near 54 ms.
func newSettled(t *testing.T, change ...func(*Config)) *packets {
	t.Helper()
	s := newPackets(t, change...)
	for range 200 {
		s.queues(ReliableUnordered, "x").poll()
		s.wait(50 * ms).gets("ack @0 and @1")
		s.poll()
	}
	s.wait(time.Second).poll()
	s.wait(10*ms).queues(Unreliable, "x").poll()
	s.wait(50 * ms).gets("ack @0").idle()
	return s.wait(200 * ms)
}

func (s *packets) wait(d time.Duration) *packets { s.script.wait(d); return s }
func (s *packets) queues(m Mode, text string) *packets {
	s.t.Helper()
	s.script.queues(m, text)
	return s
}

func (s *packets) reads(events ...string) *packets {
	s.t.Helper()
	s.script.reads(events...)
	return s
}

func (s *packets) quiet() *packets { s.t.Helper(); s.script.quiet(); return s }

// send is Send with all options.
func (s *packets) send(text string, o SendOptions) *packets {
	s.t.Helper()
	require.NoError(s.t, s.e.Send(s.now, []byte(text), o))
	return s
}

// gets hands packets of the peer to the endpoint, each with the next number.
func (s *packets) gets(frames ...string) *packets {
	s.t.Helper()
	for _, f := range frames {
		require.Equal(s.t, "accepted", s.give(f), f)
	}
	return s
}

// drops hands one packet to the endpoint, which must end in the given counter.
func (s *packets) drops(why framing.Drop, frames string) *packets {
	s.t.Helper()
	require.Equal(s.t, why.String(), s.give(frames), frames)
	return s
}

func (s *packets) give(frames string) string {
	s.inboxed = nullSealer{}.Seal(nil, s.encode(frames), s.number)
	s.number++
	return s.e.HandleDatagram(s.now, s.inboxed).String()
}

// misses says that the peer sent packets that do not arrive.
func (s *packets) misses(n int64) *packets { s.number += n; return s }

// sends requires that the endpoint sends exactly these packets now.
func (s *packets) sends(frames ...string) *packets {
	s.t.Helper()
	require.Equal(s.t, frames, append([]string{}, s.poll()...))
	return s
}

func (s *packets) idle() *packets { s.t.Helper(); require.Empty(s.t, s.poll()); return s }

// poll takes what the endpoint sends now.
func (s *packets) poll() []string {
	s.t.Helper()
	var out []string
	for range 10_000 {
		d := s.e.PollDatagram(s.now, nil)
		if len(d) == 0 {
			require.Greater(s.t, s.e.NextDeadline(), s.now)
			return out
		}
		require.LessOrEqual(s.t, len(d), framing.MaxDatagram)
		out = append(out, s.decode(d))
	}
	s.t.Fatal("the endpoint never stops sending")
	return nil
}

// run drives the endpoint for d and returns what it sent, each with the time since the start of the run.
func (s *packets) run(d time.Duration) []string {
	s.t.Helper()
	began, end := s.now, s.now+int64(d)
	out := []string{}
	for {
		for _, f := range s.poll() {
			out = append(out, fmt.Sprintf("%v %s", time.Duration(s.now-began).Round(100*time.Microsecond), f))
		}
		next := s.e.NextDeadline()
		if next > end {
			s.now = end
			return out
		}
		s.now = next
	}
}

// ends requires that the session is over by an offence of the peer, and that the peer is told.
func (s *packets) ends() *packets {
	s.t.Helper()
	require.Equal(s.t, StateClosed, s.e.State())
	require.Contains(s.t, strings.Join(s.poll(), "|"), "disconnect 0")
	events := s.events()
	require.NotEmpty(s.t, events)
	require.Contains(s.t, events[len(events)-1], "disconnected: protocol error")
	return s
}

// at is the number of the packet sent back packets ago.
func (s *packets) at(back int) int64 { return s.sent[len(s.sent)-1-back] }

func (s *packets) encode(text string) []byte {
	s.t.Helper()
	var b packet.Builder
	b.Reset(nil, packet.MaxPacket)
	for _, frame := range strings.Split(text, "; ") {
		require.True(s.t, s.append(&b, frame), frame)
	}
	return b.Bytes()
}

var wireModes = map[string]packet.Mode{"ordered": packet.Ordered, "unordered": packet.Unordered, "sequenced": packet.Sequenced}

func (s *packets) append(b *packet.Builder, text string) bool {
	head, rest, _ := strings.Cut(text, " ")
	word, on, _ := strings.Cut(head, "/")
	channel := uint8(0)
	if on != "" {
		channel = uint8(number(s.t, on))
	}
	switch word {
	case "ordered", "unordered", "sequenced":
		seq, payload, _ := strings.Cut(rest, " ")
		f := packet.Reliable{Stream: packet.StreamOf(channel, wireModes[word]), First: true, Last: true, Payload: []byte(payload)}
		switch seq[len(seq)-1] {
		case '<':
			f.Last = false
		case '-':
			f.First, f.Last = false, false
		case '>':
			f.First = false
		}
		f.Seq = uint16(number(s.t, strings.Trim(seq, "<->")))
		return b.AppendReliable(f)
	case "unreliable":
		return b.AppendUnreliable(packet.Unreliable{Channel: channel, Payload: []byte(rest)})
	case "newest":
		seq, payload, _ := strings.Cut(rest, " ")
		return b.AppendUnreliable(packet.Unreliable{Channel: channel, Sequenced: true, Seq: uint16(number(s.t, seq)), Payload: []byte(payload)})
	case "part", "newestpart":
		f := packet.Unreliable{Channel: channel}
		if word == "newestpart" {
			var seq string
			seq, rest, _ = strings.Cut(rest, " ")
			f.Sequenced, f.Seq = true, uint16(number(s.t, seq))
		}
		var text string
		_, err := fmt.Sscanf(rest, "%d %d/%d %s", &f.Message, &f.Index, &f.Count, &text)
		require.NoError(s.t, err, rest)
		f.Payload = []byte(text)
		return b.AppendUnreliable(f)
	case "ack":
		return b.AppendAck(s.ackOf(rest))
	case "heartbeat":
		return b.AppendHeartbeat()
	case "disconnect":
		code, why, _ := strings.Cut(rest, " ")
		return b.AppendDisconnect(packet.Disconnect{Code: uint16(number(s.t, code)), Text: []byte(why)})
	case "credit":
		return b.AppendCredit(creditOf(s.t, rest))
	case "challenge":
		return b.AppendPathChallenge(packet.Path{Random: [8]byte{uint8(number(s.t, rest))}})
	case "response":
		return b.AppendPathResponse(packet.Path{Random: [8]byte{uint8(number(s.t, rest))}})
	case "ticket":
		return b.AppendTicket(packet.Ticket{PSK: [32]byte{7}, Ticket: []byte(rest)})
	case "parity":
		return b.AppendParity(parityOf(s.t, rest))
	case "xor":
		return b.AppendXor(xorOf(s.t, rest))
	case "clock":
		n, err := strconv.ParseInt(rest, 10, 64)
		require.NoError(s.t, err)
		return b.AppendClock(packet.Clock{Time: n})
	}
	s.t.Fatalf("no frame is called %q", word)
	return false
}

func creditOf(t *testing.T, text string) packet.Credit {
	words := strings.Fields(text)
	bytes, err := strconv.ParseUint(words[len(words)-1], 10, 32)
	require.NoError(t, err)
	if words[0] == "all" {
		return packet.Credit{All: true, Bytes: uint32(bytes)}
	}
	word, on, _ := strings.Cut(words[0]+"/0", "/")
	on, _, _ = strings.Cut(on, "/")
	stream := packet.StreamOf(uint8(number(t, on)), wireModes[word])
	return packet.Credit{Stream: stream, Seq: uint16(number(t, words[1])), Bytes: uint32(bytes)}
}

// xorOf reads "ordered/5 3 a|bc".
func xorOf(t *testing.T, text string) packet.Xor {
	words := strings.SplitN(text, " ", 3)
	word, on, _ := strings.Cut(words[0]+"/0", "/")
	on, _, _ = strings.Cut(on, "/")
	messages := strings.Split(words[2], "|")
	var p parity
	for _, m := range messages {
		p.add([]byte(m))
	}
	stream := packet.StreamOf(uint8(number(t, on)), wireModes[word])
	return packet.Xor{Stream: stream, Seq: uint16(number(t, words[1])), Count: uint8(len(messages)), Lengths: p.lengths, Parity: p.bytes}
}

// parityOf reads "ordered/5 3 1 aa|aa|b" and "part/5 9 1 aa|b".
func parityOf(t *testing.T, text string) packet.Parity {
	words := strings.Fields(text)
	word, on, _ := strings.Cut(words[0]+"/0", "/")
	on, _, _ = strings.Cut(on, "/")
	channel := uint8(number(t, on))
	fragments := strings.Split(words[len(words)-1], "|")
	f := packet.Parity{
		Count: uint8(len(fragments)), Index: uint8(number(t, words[len(words)-2])), Last: uint16(len(fragments[len(fragments)-1])),
		Bytes: make([]byte, len(fragments[0])),
	}
	for j, fragment := range fragments {
		erasure.Add(f.Bytes, int(f.Index), []byte(fragment), j)
	}
	switch word {
	case "part":
		f.Lossy, f.Channel, f.Message = true, channel, uint16(number(t, words[1]))
	case "newestpart":
		f.Lossy, f.Channel, f.Sequenced, f.Seq, f.Message = true, channel, true, uint16(number(t, words[1])), uint16(number(t, words[2]))
	default:
		f.Stream, f.Seq = packet.StreamOf(channel, wireModes[word]), uint16(number(t, words[1]))
	}
	return f
}

func parityText(f *packet.Parity) string {
	of := fmt.Sprintf("%s %d", streamText(f.Stream), f.Seq)
	switch {
	case f.Sequenced:
		of = fmt.Sprintf("newestpart%s %d %d", channelText(f.Channel), f.Seq, f.Message)
	case f.Lossy:
		of = fmt.Sprintf("part%s %d", channelText(f.Channel), f.Message)
	}
	return fmt.Sprintf("parity %s %d/%d", of, f.Index, f.Count)
}

// ackOf reads "@0 late 4 and @1-2"; "#7" is the number 7 itself.
func (s *packets) ackOf(text string) packet.Ack {
	words := strings.Fields(text)
	resolve := func(w string) int64 {
		n := int64(number(s.t, w[1:]))
		if w[0] == '@' {
			return s.at(int(n))
		}
		return n
	}
	largest := resolve(words[0])
	f := packet.Ack{Largest: uint16(largest)}
	words = words[1:]
	if len(words) > 1 && words[0] == "late" {
		f.Delay = uint8(number(s.t, words[1]))
		words = words[2:]
	}
	if len(words) == 0 {
		return f
	}
	f.Form = map[string]packet.Form{"and": packet.Bitmap32, "and64": packet.Bitmap64}[words[0]]
	for _, w := range words[1:] {
		from, to, ok := strings.Cut(w, "-")
		if !ok {
			to = from[1:]
		}
		for n := number(s.t, from[1:]); n <= number(s.t, to); n++ {
			f.Bitmap |= 1 << (largest - 1 - resolve(fmt.Sprintf("%c%d", from[0], n)))
		}
	}
	return f
}

func (s *packets) decode(d []byte) string {
	s.t.Helper()
	plain, number, drop := nullSealer{}.Open(nil, d, s.newestSent())
	require.Equal(s.t, framing.Accepted, drop)
	s.sent, s.last = append(s.sent, number), d
	require.Equal(s.t, packet.Valid, packet.Check(plain), "an endpoint must send valid packets only: % x", plain)
	var parser packet.Parser
	var f packet.Frame
	var frames []string
	for parser.Reset(plain); parser.Next(&f); {
		frames = append(frames, s.describeFrame(&f))
	}
	return strings.Join(frames, "; ")
}

func (s *packets) newestSent() int64 {
	if len(s.sent) == 0 {
		return -1
	}
	return s.sent[len(s.sent)-1]
}

func streamText(st packet.Stream) string { return st.Mode().String() + channelText(st.Channel()) }

func channelText(n uint8) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("/%d", n)
}

func (s *packets) describeFrame(f *packet.Frame) string {
	switch f.Kind {
	case packet.KindUnreliable:
		return unreliableText(&f.Unreliable)
	case packet.KindReliable:
		r := &f.Reliable
		mark := map[[2]bool]string{{true, true}: "", {true, false}: "<", {false, false}: "-", {false, true}: ">"}[[2]bool{r.First, r.Last}]
		return fmt.Sprintf("%s %d%s %s", streamText(r.Stream), r.Seq, mark, r.Payload)
	case packet.KindAck:
		return s.ackText(&f.Ack)
	case packet.KindHeartbeat:
		return "heartbeat"
	case packet.KindDisconnect:
		return strings.TrimSpace(fmt.Sprintf("disconnect %d %s", f.Disconnect.Code, f.Disconnect.Text))
	case packet.KindClock:
		return "clock"
	case packet.KindPathChallenge:
		return fmt.Sprintf("challenge %d", f.Path.Random[0])
	case packet.KindPathResponse:
		return fmt.Sprintf("response %d", f.Path.Random[0])
	case packet.KindTicket:
		require.Equal(s.t, [32]byte{7}, f.Ticket.PSK)
		return fmt.Sprintf("ticket %s", f.Ticket.Ticket)
	case packet.KindParity:
		return parityText(&f.Parity)
	case packet.KindXor:
		return fmt.Sprintf("xor %s %d-%d", streamText(f.Xor.Stream), f.Xor.Seq, f.Xor.Seq+uint16(f.Xor.Count)-1)
	}
	if f.Credit.All {
		return fmt.Sprintf("credit all %d", f.Credit.Bytes)
	}
	return fmt.Sprintf("credit %s %d %d", streamText(f.Credit.Stream), f.Credit.Seq, f.Credit.Bytes)
}

func unreliableText(u *packet.Unreliable) string {
	word, tail := "unreliable", string(u.Payload)
	if u.Count > 0 {
		word, tail = "part", fmt.Sprintf("%d %d/%d %s", u.Message, u.Index, u.Count, u.Payload)
	}
	if u.Sequenced {
		word = map[string]string{"unreliable": "newest", "part": "newestpart"}[word]
		tail = fmt.Sprintf("%d %s", u.Seq, tail)
	}
	return word + channelText(u.Channel) + " " + tail
}

// ackText names packets by how many the peer sent since.
func (s *packets) ackText(f *packet.Ack) string {
	newest := s.number - 1
	largest := newest - int64(uint16(newest)-f.Largest)
	out := fmt.Sprintf("ack @%d", newest-largest)
	if f.Delay > 0 {
		out += fmt.Sprintf(" late %d", f.Delay)
	}
	if f.Form == packet.Bare {
		return out
	}
	out += map[packet.Form]string{packet.Bitmap32: " and", packet.Bitmap64: " and64", packet.Ranges: " runs"}[f.Form]
	from := int64(-1)
	for n := largest - 1; n >= largest-1100; n-- {
		if names(f, largest, n) {
			if from < 0 {
				from = newest - n
			}
			continue
		}
		if from < 0 {
			continue
		}
		if to := newest - n - 1; to > from {
			out += fmt.Sprintf(" @%d-%d", from, to)
		} else {
			out += fmt.Sprintf(" @%d", from)
		}
		from = -1
	}
	return out
}

// closeTo requires that a time is within 1 ms.
func closeTo(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.InDelta(t, float64(want), float64(got), float64(ms))
}

func init() {
	fateNames[Lost], fateNames[Superseded] = "lost", "superseded"
	causeNames[ProtocolError] = "protocol error"
}
