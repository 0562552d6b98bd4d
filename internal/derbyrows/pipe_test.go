package derbyrows

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

// pipe is one end of a pipe in memory.
type pipe struct {
	in, out *queue
	closed  bool
	broken  error
}

type queue struct {
	waiting [][]byte
	closed  bool
}

func newPipe() (a, b *pipe) {
	one, two := &queue{}, &queue{}
	return &pipe{in: one, out: two}, &pipe{in: two, out: one}
}

func (p *pipe) Send(b []byte) error {
	if p.closed || p.in.closed {
		return errors.New("the pipe is closed")
	}
	p.out.waiting = append(p.out.waiting, slices.Clone(b))
	return nil
}

func (p *pipe) Next() ([]byte, bool) {
	if len(p.in.waiting) == 0 {
		return nil, false
	}
	b := p.in.waiting[0]
	p.in.waiting = p.in.waiting[1:]
	return b, true
}

func (p *pipe) Err() error {
	if p.broken != nil {
		return p.broken
	}
	if p.in.closed && len(p.in.waiting) == 0 {
		return io.EOF
	}
	return nil
}

func (p *pipe) Close() error {
	p.closed, p.out.closed = true, true
	return nil
}

func (p *pipe) MaxMessage() int { return 1 << 16 }

// openPipe is a pipe with a connection at both ends, whose Connected events were read.
func openPipe(t *testing.T) (client, host *derby.PipeConn, clientEnd, hostEnd *pipe) {
	clientEnd, hostEnd = newPipe()
	clock := func() int64 { return 7 }
	host, err := derby.AcceptPipe(hostEnd, 3, clock)
	require.NoError(t, err)
	client = derby.DialPipe(clientEnd, clock)
	for _, c := range []*derby.PipeConn{client, host} {
		ev, ok := c.Next()
		require.True(t, ok)
		require.Equal(t, transport.Event{Kind: transport.Connected, Conn: c, At: 7}, ev)
	}
	return client, host, clientEnd, hostEnd
}

var ordered = transport.SendOptions{Delivery: transport.ReliableOrdered}

// cause reads the last event of a connection.
func cause(t *testing.T, c *derby.PipeConn) transport.Cause {
	ev, ok := c.Next()
	require.True(t, ok)
	require.Equal(t, transport.Disconnected, ev.Kind)
	_, more := c.Next()
	require.False(t, more, "nothing comes after the last event")
	require.Equal(t, ev.Err, c.Err())
	require.Equal(t, ev.Err, c.Send([]byte{1}, ordered))
	require.Zero(t, c.Sendable())
	var end *transport.DisconnectError
	require.ErrorAs(t, ev.Err, &end)
	return end.Cause
}

func TestAPipeEndsAsConnectionsDo(t *testing.T) {
	client, host, _, _ := openPipe(t)
	require.NoError(t, client.Send([]byte{16}, ordered))
	require.NoError(t, client.Close())
	require.NoError(t, client.Close())
	client.Kick(1, "the first one counts")
	require.Equal(t, transport.ClosedLocally, cause(t, client))
	ev, _ := host.Next()
	require.Equal(t, []byte{16}, ev.Payload, "what was sent is still there")
	require.Equal(t, transport.ClosedByPeer, cause(t, host))

	client, host, _, _ = openPipe(t)
	host.Kick(3, "idle")
	require.Equal(t, transport.Kicked, cause(t, host))
	require.Equal(t, transport.ClosedByPeer, cause(t, client))

	client, _, clientEnd, _ := openPipe(t)
	clientEnd.broken = errors.New("the relay is gone")
	require.Equal(t, transport.SocketFailed, cause(t, client))
	require.ErrorContains(t, client.Err(), "the relay is gone")
}

func TestAPipeThatIsNotOpenedIsAFailedDial(t *testing.T) {
	for _, fails := range []func(*derby.PipeConn, *pipe, *pipe){
		func(c *derby.PipeConn, _, _ *pipe) { c.Abort() },
		func(_ *derby.PipeConn, _, host *pipe) { _ = host.Close() },
		func(_ *derby.PipeConn, client, _ *pipe) { client.broken = io.ErrUnexpectedEOF },
		func(_ *derby.PipeConn, _, host *pipe) { _ = host.Send([]byte{0xFF}) },
		func(_ *derby.PipeConn, _, host *pipe) { _ = host.Send([]byte{0xFF, 1, 2}) },
	} {
		clientEnd, hostEnd := newPipe()
		c := derby.DialPipe(clientEnd, func() int64 { return 7 })
		fails(c, clientEnd, hostEnd)
		ev, ok := c.Next()
		require.True(t, ok)
		require.Equal(t, transport.DialFailed, ev.Kind)
		require.Error(t, ev.Err)
		_, more := c.Next()
		require.False(t, more)
		require.Zero(t, c.ID())
	}
	_, hostEnd := newPipe()
	require.NoError(t, hostEnd.Close())
	_, err := derby.AcceptPipe(hostEnd, 3, nil)
	require.Error(t, err)
}

func TestAPipeTakesWhatTheCatalogueNeedsAndNothingElse(t *testing.T) {
	client, _, _, _ := openPipe(t)
	for _, e := range derby.Catalogue.Entries {
		require.True(t, client.Supports(e.Delivery, e.Channel), e.Name)
		require.Equal(t, 1<<16, client.MaxPayload(e.Delivery))
	}
	require.Zero(t, client.MaxPayload(transport.Sequenced))
	require.Error(t, client.Send(nil, transport.SendOptions{Delivery: transport.Sequenced}))
	require.Error(t, client.Send(nil, transport.SendOptions{Delivery: transport.ReliableOrdered, Channel: 1}))
	require.ErrorContains(t, client.Send(nil, transport.SendOptions{Delivery: transport.ReliableOrdered, Receipt: 1}), "receipt")
	var tooLarge *transport.TooLargeError
	require.ErrorAs(t, client.Send(make([]byte, 1<<16+1), ordered), &tooLarge)
	_, err := client.Receive(t.Context(), nil)
	require.ErrorIs(t, err, transport.ErrGameLoop)
}

// full is a pipe that takes so many messages.
type full struct {
	*pipe
	takes *int
}

func (f full) Send(b []byte) error {
	if *f.takes--; *f.takes < 0 {
		return transport.ErrQueueFull
	}
	return f.pipe.Send(b)
}

func TestWhoCannotTakeAReliableMessageIsExpelled(t *testing.T) {
	host, err := derby.NewHost(derby.HostConfig{})
	require.NoError(t, err)
	takes := []int{1000, 1000, 1000}
	var conns []*derby.PipeConn
	var ends []*pipe
	pump := func() {
		for _, c := range conns {
			host.Router().Pump(c)
		}
		host.Router().RunFrame()
	}
	for i := range takes {
		clientEnd, hostEnd := newPipe()
		conn, err := derby.AcceptPipe(full{hostEnd, &takes[i]}, uint8(i+1), func() int64 { return 0 })
		require.NoError(t, err)
		conns, ends = append(conns, conn), append(ends, clientEnd)
		require.NoError(t, clientEnd.Send(encoded(&hello)))
		pump()
	}
	require.NoError(t, host.StartRun(derby.StartRun{}))
	require.NoError(t, host.StartRound(derby.RoundStart{}))
	require.NoError(t, host.StartTurn(derby.TurnStart{Batter: 1}))
	takes[1] = 0
	require.NoError(t, ends[0].Send(encoded(&derby.AtBatPose{})))
	pump()
	require.Len(t, host.Roster(), 3, "a pose may be lost")
	require.NoError(t, ends[0].Send(encoded(&derby.AtBatBegin{Batter: 1})))
	pump()
	require.Len(t, host.Roster(), 2)
	require.EqualValues(t, 1, host.Stats().TooSlow)
	require.Error(t, conns[1].Err())
	newest := ends[2].in.waiting[len(ends[2].in.waiting)-1]
	require.Equal(t, "IntroProgress", name(decoded(newest)), "the others go on")

	takes[0] = 0
	require.Error(t, host.StartRun(derby.StartRun{}), "and the run starts for who is left")
	require.Len(t, host.Roster(), 1)
	require.NoError(t, host.StartRound(derby.RoundStart{}))
	takes[2] = 0
	require.Error(t, host.EndRound(derby.RoundEnd{}))
	require.Empty(t, host.Roster(), "and if nobody can, nobody is left")
}
