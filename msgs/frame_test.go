package msgs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// diary is a router that writes down what it calls. Say waits for the frame; Ready does not.
type diary struct {
	*table
	lines []string
	also  func(in *msgs.In, text string) // what the handler of Say does as well
}

func newDiary(t *testing.T, c msgs.Config) *diary {
	d := &diary{}
	c.Joined = func(p *msgs.Peer) { d.write("%v joined", p) }
	c.Left = func(p *msgs.Peer, err error) { d.write("%v left: %v", p, err) }
	d.table = newTable(t, c,
		msgs.OnFrame(func(in *msgs.In, m *Say) {
			d.write("%v: %s", in.Peer, m.Text)
			if d.also != nil {
				d.also(in, m.Text)
			}
		}))
	if c.Side != msgs.Client {
		require.NoError(t, d.Add(
			msgs.OnFrame(func(in *msgs.In, m *Shoot) { d.write("%v shoots at %d", in.Peer, m.At) }),
			msgs.On(func(in *msgs.In, _ *Ready) { d.write("%v is ready", in.Peer) })))
	}
	return d
}

func (d *diary) write(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// frame runs one and returns what was written since the last time.
func (d *diary) frame() []string {
	d.RunFrame()
	return d.read()
}

func (d *diary) read() []string {
	lines := d.lines
	d.lines = nil
	return lines
}

func TestMessagesForTheFrameWaitForItInOrder(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann, bob := d.joins(1), d.joins(2)
	payload := encoded(&Say{Text: "first"})
	d.sendsBytes(ann, &chat.Entries[0], payload)
	clear(payload) // it was lent
	d.sends(bob, &Say{Text: "second"})
	d.sends(ann, &Ready{})
	d.sends(ann, &Say{Text: "third"})
	require.Equal(t, []string{"player 1 joined", "player 2 joined", "player 1 is ready"}, d.read())
	require.Equal(t, []string{"player 1: first", "player 2: second", "player 1: third"}, d.frame())
	require.Empty(t, d.frame())
}

func TestAMessageForTheFrameKeepsWhenItCame(t *testing.T) {
	var at []int64
	tb := newTable(t, msgs.Config{}, msgs.OnFrame(func(in *msgs.In, _ *Move) {
		at = append(at, in.At)
		require.Equal(t, unreliable, in.Delivery)
		require.Equal(t, encoded(&Move{X: 5}), in.Raw)
	}))
	ann := tb.joins(1)
	for tb.at = range int64(3) {
		tb.sends(ann, &Move{X: 5})
	}
	tb.RunFrame()
	require.Equal(t, []int64{0, 1, 2}, at)
}

func TestAHandlerThatAppendsToAMessageDoesNotChangeTheNext(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann := d.joins(1)
	d.read()
	d.also = func(in *msgs.In, _ string) { _ = append(in.Raw, 1, 9, 4, 0, 'e', 'v', 'i', 'l') }
	d.sends(ann, &Say{Text: "good"})
	d.sends(ann, &Say{Text: "good"})
	require.Equal(t, []string{"player 1: good", "player 1: good"}, d.frame())
}

func TestWhatAFrameQueuesWaitsForTheNext(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann := d.joins(1)
	d.also = func(_ *msgs.In, text string) {
		if len(text) < 3 {
			d.sends(ann, &Say{Text: text + "!"})
		}
		d.RunFrame() // does nothing: a frame is running
	}
	d.sends(ann, &Say{Text: "a"})
	d.sends(ann, &Say{Text: "b"})
	d.read()
	require.Equal(t, []string{"player 1: a", "player 1: b"}, d.frame())
	require.Equal(t, []string{"player 1: a!", "player 1: b!"}, d.frame())
	require.Equal(t, []string{"player 1: a!!", "player 1: b!!"}, d.frame())
	require.Empty(t, d.frame())
}

func TestAFrameMayBeRunByAHandlerThatDoesNotWaitForIt(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	require.NoError(t, d.Add(msgs.On(func(in *msgs.In, _ *Move) { in.Router.RunFrame() })))
	ann := d.joins(1)
	d.sends(ann, &Say{Text: "queued"})
	d.sends(ann, &Move{})
	require.Equal(t, []string{"player 1 joined", "player 1: queued"}, d.read())
}

func TestTheStateThatCountsIsThatOfTheFrame(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann := d.joins(1)
	d.read()
	d.also = func(in *msgs.In, text string) { require.NoError(t, in.Peer.Enter(playing)) }
	d.sends(ann, &Shoot{At: 1})
	d.sends(ann, &Say{Text: "we play"})
	d.sends(ann, &Shoot{At: 2})
	require.Equal(t, []string{"player 1: we play", "player 1 shoots at 2"}, d.frame())
	require.Equal(t, "state=1", d.drops())
}

func TestAMessageOfWrongSizeDoesNotGetIntoTheQueue(t *testing.T) {
	d := newDiary(t, msgs.Config{QueueMessages: 1})
	ann := d.joins(1)
	d.sendsBytes(ann, &chat.Entries[0], []byte{1})
	require.Equal(t, "size=1", d.drops())
	require.True(t, d.sends(ann, &Say{}))
}

func TestAFullQueueDoesNotTakeAMessage(t *testing.T) {
	for name, c := range map[string]msgs.Config{"messages": {QueueMessages: 2}, "bytes": {QueueBytes: 7}} {
		t.Run(name, func(t *testing.T) {
			d := newDiary(t, c)
			ann := d.joins(1)
			d.read()
			require.True(t, d.sends(ann, &Say{}))
			require.True(t, d.sends(ann, &Say{Text: "goes beyond 7 bytes"}))
			require.False(t, d.sends(ann, &Shoot{}), "the queue is looked at before the state")
			require.False(t, d.sends(ann, &Say{}))
			require.Equal(t, "queue=2", d.drops())
			require.True(t, d.sends(ann, &Ready{}), "is not for the frame")
			require.Equal(t, []string{"player 1 is ready", "player 1: ", "player 1: goes beyond 7 bytes"}, d.frame())
			require.True(t, d.sends(ann, &Say{}))
		})
	}
}

func TestAQueueThatIsFullIsToldOnce(t *testing.T) {
	const line = `level=WARN msg="The queue for RunFrame is full: call RunFrame in each frame, or raise QueueMessages and QueueBytes"`
	ann := &conn{id: 1}
	events := []transport.Event{{Kind: transport.Connected, Conn: ann}}
	for range 10 {
		events = append(events, transport.Event{Kind: transport.Message, Conn: ann, Delivery: ordered, Payload: encoded(&Say{})})
	}
	for name, give := range map[string]func(*diary){
		"Pump": func(d *diary) {
			for from := (&driver{events: events}); from.polls < 5; {
				d.Pump(from)
			}
		},
		"Route": func(d *diary) {
			for _, ev := range events {
				d.Route(ev)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDiary(t, msgs.Config{QueueMessages: 3})
			give(d)
			require.Equal(t, []string{line}, d.warnings()[1:])
		})
	}
}

// driver gives events as a transport does.
type driver struct {
	events []transport.Event
	polls  int
}

func (d *driver) Poll() { d.polls++ }

func (d *driver) Next() (ev transport.Event, ok bool) {
	if len(d.events) == 0 {
		return ev, false
	}
	ev = d.events[0]
	d.events = d.events[1:]
	return ev, true
}

func TestPumpLeavesWithTheTransportWhatTheQueueHasNoRoomFor(t *testing.T) {
	d := newDiary(t, msgs.Config{QueueMessages: 3})
	ann := &conn{id: 1}
	from := &driver{events: []transport.Event{{Kind: transport.Connected, Conn: ann}}}
	for i := range 10 {
		from.events = append(from.events, transport.Event{Kind: transport.Message, Conn: ann, Delivery: ordered, Payload: encoded(&Say{Text: fmt.Sprint(i)})})
	}
	for range 4 {
		d.Pump(from)
		d.RunFrame()
	}
	require.Equal(t, 4, from.polls)
	require.Empty(t, from.events)
	want := []string{"player 1 joined"}
	for i := range 10 {
		want = append(want, fmt.Sprintf("player 1: %d", i))
	}
	require.Equal(t, want, d.read())
	require.Equal(t, "none", d.drops())
}
