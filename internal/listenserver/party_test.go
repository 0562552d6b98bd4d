package listenserver

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

var ordered = transport.SendOptions{Delivery: transport.ReliableOrdered}

// party is a host with players, and the events that each side has seen of each session.
type party struct {
	*testing.T
	style
	host *udp.Host

	mu       sync.Mutex
	sessions []*session
}

// session is one player from joining to leaving.
type session struct {
	player, peer     transport.Conn // its own side, and the host's
	atPlayer, atHost []string
}

func newParty(t *testing.T, s style) *party {
	p := &party{T: t, style: s}
	p.host = s.listen(p.hostSees)
	return p
}

// hostSees writes an event of the host down. A connection that is new belongs to the player who is joining.
func (p *party) hostSees(ev transport.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.sessions, func(s *session) bool { return s.peer == ev.Conn })
	if i < 0 {
		i = len(p.sessions) - 1
		p.sessions[i].peer = ev.Conn
	}
	p.sessions[i].atHost = append(p.sessions[i].atHost, words(ev))
}

// joining makes the session of the next player, and what its events go to.
func (p *party) joining() (*session, func(transport.Event)) {
	s := &session{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = append(p.sessions, s)
	return s, func(ev transport.Event) {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.atPlayer = append(s.atPlayer, words(ev))
	}
}

// remote lets a player join over UDP, and returns when both sides know.
func (p *party) remote() *session {
	p.Helper()
	s, on := p.joining()
	s.player = p.dial(on)
	p.seen(s, "connected", "connected")
	return s
}

// localPlayer does the same for the player in the host's process.
func (p *party) localPlayer() *session {
	p.Helper()
	s, on := p.joining()
	player, atHost := p.local(on)
	s.player = player
	require.NoError(p, p.host.Attach(atHost))
	p.seen(s, "connected", "connected")
	return s
}

// wait lets things happen until done, which may look at the logs of s.
func (p *party) wait(s *session, done func() bool) {
	p.Helper()
	ok := p.until(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return done()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	require.True(p, ok, "the player has seen %q, the host %q", s.atPlayer, s.atHost)
}

// seen waits until these are the newest events of both sides.
func (p *party) seen(s *session, atPlayer, atHost string) {
	p.Helper()
	newest := func(log []string, want string) bool { return len(log) > 0 && log[len(log)-1] == want }
	p.wait(s, func() bool { return newest(s.atPlayer, atPlayer) && newest(s.atHost, atHost) })
}

// says sends a message of a player to the host.
func (p *party) says(s *session, text string) {
	p.Helper()
	require.NoError(p, s.player.Send([]byte(text), ordered))
	p.wait(s, func() bool { return slices.Contains(s.atHost, "message "+text) })
}

// everybodyHears broadcasts a message and waits until these players have it, who are all.
func (p *party) everybodyHears(text string, players ...*session) {
	p.Helper()
	require.Len(p, p.host.Conns(), len(players))
	require.NoError(p, p.host.Broadcast([]byte(text), ordered))
	for _, s := range players {
		p.wait(s, func() bool { return slices.Contains(s.atPlayer, "message "+text) })
	}
}

// words is an event without what may differ between a network and a pipe.
func words(ev transport.Event) string {
	var end *transport.DisconnectError
	switch {
	case ev.Kind == transport.Message:
		return "message " + string(ev.Payload)
	case errors.As(ev.Err, &end):
		return fmt.Sprintf("%v, %v", ev.Kind, end.Cause)
	}
	return ev.Kind.String()
}
