package udp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// lodged makes a connection of another host pass for one of this process.
type lodged struct{ *udp.Conn }

func (l *lodged) ID() uint32 { return 250 + l.Conn.ID() }

func (l *lodged) Local() bool { return true }

func (l *lodged) Next() (transport.Event, bool) {
	ev, ok := l.Conn.Next()
	ev.Conn = l
	return ev, ok
}

func (l *lodged) Receive(ctx context.Context, buf []byte) (transport.Event, error) {
	ev, err := l.Conn.Receive(ctx, buf)
	ev.Conn = l
	return ev, err
}

// lodger is a connection of another host, to be attached, and the player at its other end. Nothing but the attached connection drives
// the other host.
func (w *world) lodger(name string) (player *member, atHost transport.Conn) {
	w.t.Helper()
	inner := w.member(name+"s-host", nil)
	var err error
	inner.host, err = udp.Listen("", inner.config(lan(), port))
	require.NoError(w.t, err)
	player = w.client(name, inner, udp.Config{})
	w.run(20 * time.Millisecond)
	inner.host.Poll()
	require.Len(w.t, inner.host.Conns(), 1)
	return player, &lodged{inner.host.Conns()[0].(*udp.Conn)}
}

// drive runs the host's loop every millisecond, as a game does that has attached connections.
func (m *member) drive(d time.Duration) {
	for end := m.w.nw.Now() + int64(d); m.w.nw.Now() < end; m.w.run(time.Millisecond) {
		m.frame(m.host)
	}
}

func TestAnAttachedConnectionIsAPeerInAGameLoop(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	h.wants("1 connected")
	player, atHost := w.lodger("player")
	require.NoError(t, h.host.Attach(atHost))
	h.drive(100 * time.Millisecond)
	h.wants("251 connected")
	require.Len(t, h.host.Conns(), 2)
	require.Equal(t, 1, h.host.Stats().Locals)

	require.NoError(t, h.host.Broadcast([]byte("all"), ordered))
	send(t, player.conn, "from the player", ordered)
	player.node.Wake()
	h.drive(time.Second)
	h.wants("251 message from the player")
	player.wants("1 connected", "1 message all")
	c.wants("1 connected", "1 message all")

	require.NoError(t, player.conn.Close())
	player.node.Wake()
	h.drive(time.Second)
	h.wants("251 disconnected: connection closed by the peer")
	require.Len(t, h.host.Conns(), 1)
	require.Zero(t, h.host.Stats().Locals)
	require.NoError(t, c.conn.Err())
}

func TestClosingAHostClosesWhatIsAttached(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	player, atHost := w.lodger("player")
	require.NoError(t, h.host.Attach(atHost))
	require.NoError(t, h.host.Close())
	h.drive(time.Second)
	h.wants("251 connected", "251 disconnected: connection closed locally")
	player.wants("1 connected", "1 disconnected: connection closed by the peer")
}

// attached gives a host with an attached connection in the background, and the player at its other end.
func attached(t *testing.T, c udp.Config) (h *udp.Host, player *udp.Conn, atHost transport.Conn) {
	t.Helper()
	inner := listen(t, udp.Config{})
	player = dial(t, inner, udp.Config{})
	atHost = &lodged{accept(t, inner).(*udp.Conn)}
	h = listen(t, c)
	require.NoError(t, h.Attach(atHost))
	return h, player, atHost
}

func TestAnAttachedConnectionComesOutOfAccept(t *testing.T) {
	h, player, atHost := attached(t, udp.Config{})
	require.Same(t, atHost, accept(t, h))
	require.NoError(t, h.Broadcast([]byte("all"), ordered))
	require.Equal(t, "all", receive(t, player))
	require.NoError(t, player.Close())
	require.Empty(t, h.Conns())
	require.Zero(t, h.Stats().Locals)
}

func TestEventsOfAnAttachedConnectionGoToTheHandler(t *testing.T) {
	events := make(chan transport.Event, 10)
	h, player, atHost := attached(t, udp.Config{Handler: func(ev transport.Event) {
		ev.Payload = ev.Retain()
		events <- ev
	}})
	send(t, player, "one", ordered)
	send(t, player, "two", ordered)
	client := dial(t, h, udp.Config{})
	require.NoError(t, client.Close())
	var got []string
	for len(got) < 3 {
		got = append(got, described(<-events, atHost)...)
	}
	require.NoError(t, h.Close())
	for len(got) < 4 {
		got = append(got, described(<-events, atHost)...)
	}
	require.Equal(t, []string{"connected ", "message one", "message two", "disconnected "}, got)
}

// described is ev in words if it is of conn.
func described(ev transport.Event, conn transport.Conn) []string {
	if ev.Conn != conn {
		return nil
	}
	return []string{ev.Kind.String() + " " + string(ev.Payload)}
}
