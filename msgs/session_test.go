package msgs_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

func ids(r *msgs.Router) (list []uint32) {
	for p := range r.Peers() {
		list = append(list, p.ID())
	}
	return list
}

func TestPeersComeAndGoInOrder(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann, bob, eve := d.joins(3), d.joins(1), d.joins(2)
	d.connects(bob) // twice is once
	require.Equal(t, []uint32{3, 1, 2}, ids(d.Router))
	require.Same(t, ann, d.Peer(3).Conn())
	require.Equal(t, "player 3", d.Peer(3).String())

	d.leaves(bob)
	d.leaves(bob)
	require.Equal(t, []uint32{3, 2}, ids(d.Router))
	require.Nil(t, d.Peer(1))
	require.Nil(t, d.Host())
	d.leaves(eve)
	d.leaves(ann)
	require.Empty(t, ids(d.Router))
	require.Equal(t, []string{"player 3 joined", "player 1 joined", "player 2 joined", "player 1 left: connection closed by the peer",
		"player 2 left: connection closed by the peer", "player 3 left: connection closed by the peer"}, d.read())
}

func TestTheLoopOverPeersDoesNotMindWhoLeaves(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	conns := []*conn{tb.joins(1), tb.joins(2), tb.joins(3)}
	var seen []uint32
	for p := range tb.Peers() {
		seen = append(seen, p.ID())
		tb.leaves(conns[p.ID()-1])
		tb.joins(p.ID() + 10)
		if p.ID() == 2 {
			break
		}
	}
	require.Equal(t, []uint32{1, 2}, seen)
	require.Equal(t, []uint32{3, 11, 12}, ids(tb.Router))
}

func TestWhoJoinsIsAPeerAlreadyAndWhoLeavesIsNoneAnyMore(t *testing.T) {
	var tb *table
	joined, left := []uint32(nil), []uint32(nil)
	tb = newTable(t, msgs.Config{
		Joined: func(p *msgs.Peer) { joined = ids(tb.Router); p.Data = "of the game" },
		Left: func(p *msgs.Peer, _ error) {
			left = ids(tb.Router)
			require.Equal(t, "of the game", p.Data)
		},
	})
	ann := tb.joins(1)
	require.Equal(t, []uint32{1}, joined)
	tb.leaves(ann)
	require.Empty(t, left)
}

func TestWhatAPeerHasSentIsHandledBeforeItLeaves(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann, bob := d.joins(1), d.joins(2)
	d.sends(ann, &Say{Text: "last words"})
	d.leaves(ann)
	d.leaves(bob)
	require.Equal(t, []string{"player 1 joined", "player 2 joined", "player 2 left: connection closed by the peer"}, d.read())
	require.Equal(t, []string{"player 1: last words", "player 1 left: connection closed by the peer"}, d.frame())
	require.Empty(t, ids(d.Router))
}

func TestANewSessionWaitsUntilTheOldOneOfItsIDHasLeft(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	old := d.joins(1)
	d.sends(old, &Say{Text: "last words"})
	first := d.Peer(1)
	d.leaves(old)
	back := d.joins(1)
	d.sends(back, &Ready{})
	d.sends(back, &Say{Text: "again"})
	require.Same(t, first, d.Peer(1))
	require.Equal(t, []string{"player 1 joined"}, d.read())
	require.Equal(t, []string{"player 1: last words", "player 1 left: connection closed by the peer",
		"player 1 joined", "player 1 is ready", "player 1: again"}, d.frame())
	require.NotSame(t, first, d.Peer(1))
	d.sends(back, &Ready{})
	require.Equal(t, []string{"player 1 is ready"}, d.read())
}

func TestSessionsOfOneIDMayFollowOneAnotherWithinAFrame(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	c := d.joins(1)
	for range 3 {
		d.sends(c, &Say{Text: "hello"})
		d.leaves(c)
		c = d.joins(1)
	}
	d.leaves(c)
	want := []string{"player 1 joined"}
	for range 3 {
		want = append(want, "player 1: hello", "player 1 left: connection closed by the peer", "player 1 joined")
	}
	require.Equal(t, append(want, "player 1 left: connection closed by the peer"), append(d.read(), d.frame()...))
	require.Nil(t, d.Peer(1))
	require.Empty(t, ids(d.Router))
}

func TestWhatThisSideHasEndedIsNotHandledAnyMore(t *testing.T) {
	for name, end := range map[string]func(p *msgs.Peer){
		"kick":  func(p *msgs.Peer) { p.Kick(1, "") },
		"close": func(p *msgs.Peer) { p.Conn().Close() },
		"abort": func(p *msgs.Peer) { p.Conn().Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDiary(t, msgs.Config{})
			ann, bob := d.joins(1), d.joins(2)
			d.read()
			for range 2 {
				d.sends(ann, &Say{Text: "hello"})
				d.sends(bob, &Say{Text: "hello"})
			}
			d.also = func(in *msgs.In, _ string) {
				if in.Peer.ID() == 1 {
					end(in.Peer)
				}
			}
			d.RunFrame()
			d.leaves(ann)
			require.Equal(t, []string{"player 1: hello", "player 2: hello", "player 2: hello", "player 1 left: " + ann.ended.Error()}, d.read())
			require.Equal(t, "session=1", d.drops())
		})
	}
}

// Receive hands out what has come in before the end, so it comes here after it.
func TestWhatComesAfterThisSideHasEndedTheSessionIsNotHandled(t *testing.T) {
	for name, end := range map[string]func(p *msgs.Peer){
		"kick":  func(p *msgs.Peer) { p.Kick(1, "") },
		"close": func(p *msgs.Peer) { p.Conn().Close() },
		"abort": func(p *msgs.Peer) { p.Conn().Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			moves := 0
			tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Move) {
				moves++
				end(in.Peer)
			}))
			ann := tb.joins(1)
			tb.sends(ann, &Move{})
			tb.sends(ann, &Move{})
			tb.malformed(ann)
			require.Equal(t, 1, moves)
			require.Equal(t, "session=2", tb.drops())
		})
	}
}

func TestARouterForgetsAPeerThatHasLeft(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	peer := func() weak.Pointer[msgs.Peer] {
		ann := d.joins(1)
		d.sends(ann, &Ready{})
		d.sends(ann, &Say{Text: "hello"})
		p := weak.Make(d.Peer(1))
		d.leaves(ann)
		return p
	}()
	d.RunFrame()
	runtime.GC()
	require.Nil(t, peer.Value())
	require.Empty(t, ids(d.Router))
}

func TestWhoHasGoneCanStillBeKicked(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	ann := d.joins(1)
	d.sends(ann, &Say{Text: "rude"})
	d.sends(ann, &Say{Text: "ruder"})
	d.leaves(ann)
	d.also = func(in *msgs.In, _ string) { in.Peer.Kick(1, "") }
	require.Equal(t, []string{"player 1 joined", "player 1: rude", "player 1 left: connection closed by the peer"}, d.frame())
	require.Equal(t, "session=1", d.drops())
}

// A game kicks by number who has just left.
func TestNobodyCanBeKickedAndEnterNothing(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	nobody := tb.Peer(9)
	nobody.Kick(1, "rude")
	require.ErrorIs(t, nobody.Enter(playing), msgs.ErrNoPeer)
	require.ErrorIs(t, Say{}.Send(nobody), msgs.ErrNoPeer)
	require.False(t, nobody.In(playing))
	require.Equal(t, "nobody", nobody.String())
}

func TestAClientHasItsHostBeforeItIsConnected(t *testing.T) {
	d := newDiary(t, msgs.Config{Side: msgs.Client})
	host := d.Host()
	require.Equal(t, "the host", host.String())
	require.Zero(t, host.ID())
	require.Nil(t, host.Conn())
	host.Kick(1, "") // nobody to kick
	require.NoError(t, host.Enter(playing))
	require.Empty(t, ids(d.Router))

	c := d.joins(7)
	require.Same(t, host, d.Host())
	require.Same(t, host, d.Peer(0))
	require.True(t, host.In(playing))
	require.Equal(t, uint32(7), host.Conn().ID(), "the number that the host gave this client")
	require.NoError(t, Say{Text: "hello"}.Send(host))
	require.Len(t, c.sent, 1)
}

func TestTheHostOfANewSessionIsAnotherPeer(t *testing.T) {
	d := newDiary(t, msgs.Config{Side: msgs.Client})
	first := d.Host()
	c := d.joins(7)
	d.leaves(c)
	require.Same(t, first, d.Host())
	require.ErrorIs(t, Say{}.Send(d.Host()), c.ended)

	again := d.joins(7)
	require.NotSame(t, first, d.Host())
	require.ErrorIs(t, Say{}.Send(first), c.ended, "the old session does not come back")
	require.NoError(t, Say{}.Send(d.Host()))
	require.Len(t, again.sent, 1)
	require.Equal(t, []string{"the host joined", "the host left: connection closed by the peer", "the host joined"}, d.read())
}

func TestAClientMayConnectAnewBeforeItsLastSessionIsOver(t *testing.T) {
	tb := newTable(t, msgs.Config{Side: msgs.Client})
	first, second := tb.joins(7), tb.joins(7)
	tb.leaves(first)
	require.Same(t, tb.Host(), tb.Peer(0))
	require.Same(t, second, tb.Host().Conn())
	require.NoError(t, Say{}.Send(tb.All()))
	require.Len(t, second.sent, 1)
}

func TestADialThatFailedIsTold(t *testing.T) {
	refused := &transport.RefusedError{Reason: "full"}
	d := newDiary(t, msgs.Config{Side: msgs.Client})
	d.Route(transport.Event{Kind: transport.DialFailed, Conn: &conn{}, Err: refused})
	require.Equal(t, []string{"the host left: refused by the host: full"}, d.read())

	var left []*msgs.Peer
	tb := newTable(t, msgs.Config{Side: msgs.Client, Left: func(p *msgs.Peer, err error) {
		left = append(left, p)
		require.Error(t, err)
	}})
	tb.leaves(tb.joins(7))
	tb.Route(transport.Event{Kind: transport.DialFailed, Conn: &conn{}, Err: refused})
	require.Len(t, left, 2)
	require.NotSame(t, left[0], left[1], "nobody leaves twice")
}

func TestAHostIsNotToldOfDials(t *testing.T) {
	d := newDiary(t, msgs.Config{})
	d.Route(transport.Event{Kind: transport.DialFailed, Conn: &conn{}, Err: transport.ErrNotConnected})
	require.Empty(t, d.read())
}

func TestOutcomesAreTold(t *testing.T) {
	var told []any
	tb := newTable(t, msgs.Config{Outcome: func(p *msgs.Peer, receipt uint64, fate transport.Fate) {
		told = append(told, p.ID(), receipt, fate)
	}})
	ann := tb.joins(1)
	require.NoError(t, Say{}.Send(tb.Peer(1).Receipt(42)))
	require.Equal(t, uint64(42), ann.sent[0].o.Receipt)
	tb.Route(transport.Event{Kind: transport.Outcome, Conn: ann, Receipt: 42, Fate: transport.Delivered})
	tb.Route(transport.Event{Kind: transport.Outcome, Conn: &conn{}, Receipt: 43})
	require.Equal(t, []any{uint32(1), uint64(42), transport.Delivered}, told)
	require.True(t, newTable(t, msgs.Config{}).Route(transport.Event{Kind: transport.Outcome, Conn: ann}))
}

// Ann says something for Bob, who has gone and come back under the same id and address before the host gets to it.
func TestARelayNeverReachesTheNextSessionOfAPeer(t *testing.T) {
	var bob *msgs.Peer
	var errs []error
	tb := newTable(t, msgs.Config{}, msgs.OnFrame(func(in *msgs.In, m *Say) { errs = append(errs, in.Relay(bob), in.Relay(in.Router.Only(bob))) }))
	ann := tb.joins(1)
	before := tb.joins(2)
	bob = tb.Peer(2)
	tb.sends(ann, &Say{Text: "for Bob"})
	tb.leaves(before)
	after := tb.joins(2)
	tb.RunFrame()

	require.Empty(t, after.sent)
	require.Empty(t, before.sent)
	var end *transport.DisconnectError
	require.True(t, errors.As(errs[0], &end))
	require.NoError(t, errs[1], "who has left is passed over by a target of many")
	require.Equal(t, []uint32{1, 2}, slices.Sorted(slices.Values(ids(tb.Router))))
}

// watcher notes what it is told.
type watcher struct{ notes []string }

func (w *watcher) Joined(p *msgs.Peer)        { w.notes = append(w.notes, p.String()+" joined") }
func (w *watcher) Left(p *msgs.Peer, _ error) { w.notes = append(w.notes, p.String()+" left") }
func (w *watcher) Kicked(p *msgs.Peer)        { w.notes = append(w.notes, p.String()+" kicked") }

func TestAWatcherIsToldBeforeTheGame(t *testing.T) {
	w := &watcher{}
	tb := newTable(t, msgs.Config{
		Joined: func(p *msgs.Peer) { w.notes = append(w.notes, "the game knows"); require.False(t, p.Ended()) },
		Left:   func(p *msgs.Peer, _ error) { w.notes = append(w.notes, "the game knows"); require.True(t, p.Ended()) },
	})
	tb.Watch(w)
	ann := tb.joins(1)
	p := tb.Peer(1)
	tb.leaves(ann)
	require.True(t, p.Ended())
	bob := tb.joins(2)
	tb.Peer(2).Kick(1, "")
	require.True(t, tb.Peer(2).Ended())
	tb.leaves(bob)
	require.Equal(t, []string{"player 1 joined", "the game knows", "player 1 left", "the game knows", "player 2 joined", "the game knows", "player 2 kicked", "player 2 left",
		"the game knows"}, w.notes)
	require.True(t, (*msgs.Peer)(nil).Ended())
	require.Equal(t, msgs.Host, tb.Side())
}

func TestASessionIsInOneOfSomeStatesOrNot(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	tb.joins(1)
	p := tb.Peer(1)
	require.True(t, p.InAny(&chat, 0), "any")
	require.True(t, p.InAny(&chat, 0b11))
	require.False(t, p.InAny(&chat, 0b10))
	require.NoError(t, p.Enter(playing))
	require.True(t, p.InAny(&chat, 0b10))
	require.False(t, p.InAny(&msgs.Catalogue{}, 0b10))
	require.True(t, tb.Has(&chat))
	require.False(t, tb.Has(&msgs.Catalogue{}))
}
