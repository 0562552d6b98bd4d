package reliable

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// script is the test language of this package: it plays the peer and the application of one endpoint in virtual time. Frames are
// written as text, "reliable 3 hello", and so are events.
type script struct {
	t   *testing.T
	e   *Endpoint
	now int64
}

// start is well above zero, as real clocks are.
const start = int64(1_000_000 * time.Second)

// newClient returns a client that has not sent anything yet.
func newClient(t *testing.T, change ...func(*Config)) *script {
	return newScript(t, Config{Role: framing.Client}, change)
}

// newHost returns a host that is connected, has sent its Accept and whose client is confirmed.
func newHost(t *testing.T, change ...func(*Config)) *script {
	s := newScript(t, Config{Role: framing.Host, PeerID: 7}, change)
	return s.sends("accept 7").reads("connected").gets("heartbeat")
}

// newConnected returns a client that is connected with a round trip of 50 ms.
func newConnected(t *testing.T, change ...func(*Config)) *script {
	s := newClient(t, change...)
	return s.sends("connect HRD-LOCAL-1").wait(50 * time.Millisecond).gets("accept 1").sends("heartbeat").reads("connected")
}

func newScript(t *testing.T, c Config, change []func(*Config)) *script {
	t.Helper()
	c.Pool = &Pool{Poison: true}
	for _, f := range change {
		f(&c)
	}
	require.NoError(t, c.Check())
	return &script{t: t, e: New(start, c), now: start}
}

// gets hands frames of the peer to the endpoint, which must take them.
func (s *script) gets(frames ...string) *script {
	s.t.Helper()
	for _, f := range frames {
		require.Equal(s.t, framing.Accepted, s.e.HandleDatagram(s.now, encode(s.t, f)), f)
	}
	return s
}

// drops hands one frame to the endpoint, which must drop it for the given reason.
func (s *script) drops(why framing.Drop, frame string) *script {
	s.t.Helper()
	require.Equal(s.t, why.String(), s.e.HandleDatagram(s.now, encode(s.t, frame)).String(), frame)
	return s
}

// sends requires that the endpoint sends exactly these frames now.
func (s *script) sends(frames ...string) *script {
	s.t.Helper()
	require.Equal(s.t, frames, append([]string{}, s.poll()...))
	return s
}

// idle requires that the endpoint has nothing to send now.
func (s *script) idle() *script {
	s.t.Helper()
	require.Empty(s.t, s.poll())
	return s
}

// poll takes what the endpoint sends now.
func (s *script) poll() []string {
	var out []string
	for range 10_000 {
		d := s.e.PollDatagram(s.now, nil)
		if len(d) == 0 {
			return out
		}
		require.LessOrEqual(s.t, len(d), framing.MaxDatagram)
		out = append(out, decode(s.t, d, s.e.cfg.Role))
	}
	s.t.Fatal("the endpoint never stops sending")
	return nil
}

// wait lets time pass without running the endpoint.
func (s *script) wait(d time.Duration) *script {
	s.now += int64(d)
	return s
}

// run drives the endpoint for d, at its deadlines only, and returns what it sent, each with its time since the start of the run.
func (s *script) run(d time.Duration) []string {
	s.t.Helper()
	began, end := s.now, s.now+int64(d)
	var out []string
	for {
		for _, f := range s.poll() {
			out = append(out, fmt.Sprintf("%v %s", time.Duration(s.now-began).Round(time.Millisecond), f))
		}
		next := s.e.NextDeadline()
		if next > end {
			s.now = end
			return out
		}
		require.Greater(s.t, next, s.now, "an idle endpoint must name a deadline that lies ahead")
		s.now = next
	}
}

// queues sends a message of the application.
func (s *script) queues(mode Mode, text string) *script {
	s.t.Helper()
	require.NoError(s.t, s.e.Send(s.now, []byte(text), SendOptions{Mode: mode}))
	return s
}

// reads requires that the application gets exactly these events now. A message is written as its text.
func (s *script) reads(events ...string) *script {
	s.t.Helper()
	require.Equal(s.t, events, append([]string{}, s.events()...))
	return s
}

// quiet requires that there is no event.
func (s *script) quiet() *script {
	s.t.Helper()
	require.Empty(s.t, s.events())
	return s
}

func (s *script) events() []string {
	var out []string
	for {
		ev, ok := s.e.PollEvent()
		if !ok {
			return out
		}
		out = append(out, s.describe(ev))
	}
}

func (s *script) describe(ev Event) string {
	switch ev.Kind {
	case EventConnected:
		return "connected"
	case EventMessage:
		defer s.e.Recycle(ev.Payload)
		return string(ev.Payload)
	case EventOutcome:
		return fmt.Sprintf("outcome %d %s", ev.Receipt, fateNames[ev.Fate])
	case EventDisconnected:
		return fmt.Sprintf("disconnected: %s, %d undelivered", causeNames[ev.Cause], ev.Undelivered)
	}
	return fmt.Sprintf("dial failed: %s %s", causeNames[ev.Cause], ev.Reason)
}

var fateNames = map[Fate]string{Delivered: "delivered", Expired: "expired", Cancelled: "cancelled", Sent: "sent"}

var causeNames = map[Cause]string{
	ClosedLocally: "closed locally", ClosedByPeer: "closed by peer", Kicked: "kicked", TimedOut: "timed out",
	Refused: "refused", SocketFailed: "socket failed",
}

// sleeps requires that nothing will ever happen again.
func (s *script) sleeps() *script {
	s.t.Helper()
	require.Equal(s.t, int64(math.MaxInt64), s.e.NextDeadline())
	return s
}

// encode turns "reliable 3 hello" into bytes. "raw 05 00" is bytes as they are.
func encode(t *testing.T, text string) []byte {
	t.Helper()
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "connect":
		return framing.AppendConnect(nil, rest)
	case "accept":
		return framing.AppendAccept(nil, uint8(number(t, rest)))
	case "refuse":
		return framing.AppendRefuse(nil, rest)
	case "unreliable":
		return framing.AppendUnreliable(nil, []byte(rest))
	case "reliable":
		seq, payload, _ := strings.Cut(rest, " ")
		return framing.AppendReliable(nil, number(t, seq), []byte(payload))
	case "ack":
		return framing.AppendAck(nil, number(t, rest))
	case "heartbeat":
		return framing.AppendHeartbeat(nil)
	case "disconnect":
		return framing.AppendDisconnect(nil)
	}
	t.Fatalf("no frame is called %q", word)
	return nil
}

func number(t *testing.T, text string) int32 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 32)
	require.NoError(t, err)
	return int32(n)
}

// decode turns bytes that an endpoint sent into the text that encode takes.
func decode(t *testing.T, d []byte, sender framing.Role) string {
	t.Helper()
	receiver := framing.Host
	if sender == framing.Host {
		receiver = framing.Client
	}
	f, drop := framing.Parse(d, receiver)
	require.Equal(t, framing.Accepted, drop, "an endpoint must send valid frames only: % x", d)
	switch f.Kind {
	case framing.KindConnect:
		return "connect " + string(f.Text)
	case framing.KindAccept:
		return fmt.Sprintf("accept %d", f.PeerID)
	case framing.KindUnreliable:
		return "unreliable " + string(f.Payload)
	case framing.KindReliable:
		return fmt.Sprintf("reliable %d %s", f.Seq, f.Payload)
	case framing.KindAck:
		return fmt.Sprintf("ack %d", f.Seq)
	case framing.KindHeartbeat:
		return "heartbeat"
	}
	return "disconnect"
}
