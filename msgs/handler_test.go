package msgs_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

func TestAHandlerIsToldAllAboutTheMessage(t *testing.T) {
	var got msgs.In
	var raw []byte
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, m *Say) {
		got, raw = *in, slices.Clone(in.Raw)
		require.Equal(t, int64(77), in.Peer.Received())
	}))
	ann := tb.joins(4)
	tb.at = 77
	tb.sends(ann, &Say{Text: "hello"})

	require.Same(t, tb.Router, got.Router)
	require.Same(t, tb.Peer(4), got.Peer)
	require.Same(t, &chat.Entries[0], got.Entry)
	require.Equal(t, encoded(&Say{Text: "hello"}), raw)
	require.Equal(t, int64(77), got.At)
	require.Equal(t, ordered, got.Delivery)
	require.Zero(t, got.Channel)
}

func TestAMessageIsOverWhenItsHandlerReturns(t *testing.T) {
	var kept *msgs.In
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Say) { kept = in }))
	tb.sends(tb.joins(1), &Say{})
	require.Zero(t, *kept)
}

func TestARawHandlerGetsTheBytesUndecoded(t *testing.T) {
	var raw []string
	tb := newTable(t, msgs.Config{}, msgs.OnRaw((*Say)(nil).Descriptor(), func(in *msgs.In) { raw = append(raw, string(in.Raw)) }))
	tb.sendsBytes(tb.joins(1), &chat.Entries[0], encodedForbidden())
	require.Equal(t, []string{string(encodedForbidden())}, raw)
	require.Equal(t, uint64(1), tb.Stats().Handled.Messages)
}

func TestARelayPassesOnTheIdenticalBytesInTheSameMode(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, m *Say) {
		m.Text = "changed"
		require.NoError(t, in.Relay(in.Router.Except(in.Peer)))
	}))
	ann, bob, eve := tb.joins(1), tb.joins(2), tb.joins(3)
	tb.sends(bob, &Say{From: 2, Text: "hello"})

	want := []sent{{string(encoded(&Say{From: 2, Text: "hello"})), transport.SendOptions{Delivery: ordered}}}
	require.Equal(t, want, ann.sent)
	require.Empty(t, bob.sent)
	require.Equal(t, want, eve.sent)
}

func TestAMessageThatOnlyClientsSendIsNotRelayedToThem(t *testing.T) {
	var err error
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Move) { err = in.Relay(in.Router.All()) }))
	ann := tb.joins(1)
	tb.sends(ann, &Move{})
	require.ErrorIs(t, err, msgs.ErrDirection)
	require.EqualError(t, err, "message Move not sent: only the other side sends it: declare it from=both if both do")
	require.Empty(t, ann.sent)
}

func TestAMessageThatAHandlerRoutesIsAnother(t *testing.T) {
	var heard []string
	var tb *table
	var ann, bob *conn
	tb = newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, m *Say) {
		if m.Text == "outer" {
			tb.sends(bob, &Say{Text: "inner"})
		}
		heard = append(heard, in.Peer.String()+" "+m.Text+" "+string(in.Raw[4:]))
	}))
	ann, bob = tb.joins(1), tb.joins(2)
	tb.sends(ann, &Say{Text: "outer"})
	tb.sends(ann, &Say{Text: "after"})
	require.Equal(t, []string{"player 2 inner inner", "player 1 outer outer", "player 1 after after"}, heard)
}

func TestAHandlerMayBeSharedByRouters(t *testing.T) {
	var first, second *table
	var annHere, annThere *conn
	var heard []string
	shared := msgs.On(func(in *msgs.In, m *Say) {
		if in.Router == first.Router {
			second.sends(annThere, &Say{Text: "there"})
		}
		heard = append(heard, m.Text)
	})
	first, second = newTable(t, msgs.Config{}, shared), newTable(t, msgs.Config{}, shared)
	annHere, annThere = first.joins(1), second.joins(1)
	first.sends(annHere, &Say{Text: "here"})
	require.Equal(t, []string{"there", "here"}, heard)
}

func TestAHandlerMayAddHandlersAndEnterStates(t *testing.T) {
	shots := 0
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Ready) {
		require.NoError(t, in.Router.Add(msgs.On(func(*msgs.In, *Shoot) { shots++ })))
		require.NoError(t, in.Peer.Enter(playing))
	}))
	ann := tb.joins(1)
	tb.sends(ann, &Shoot{})
	tb.sends(ann, &Ready{})
	tb.sends(ann, &Shoot{})
	require.Equal(t, 1, shots)
	require.Equal(t, "no-handler=1", tb.drops())
}

func TestAHandlerMayKickTheSender(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Say) { in.Peer.Kick(3, "rude") }))
	ann := tb.joins(1)
	tb.sends(ann, &Say{})
	require.Equal(t, &transport.DisconnectError{Cause: transport.Kicked, Code: 3, Text: "rude"}, ann.ended)
}

// Peers 1 to 8 send one message each in the same frame; that of peer 3 is malformed, and the handler of peer 5's panics, and so on for 100 frames.
func TestOneBadMessageHoldsUpNoOther(t *testing.T) {
	for _, on := range []func(func(*msgs.In, *Say)) msgs.Handler{msgs.On[Say, *Say], msgs.OnFrame[Say, *Say]} {
		heard := make([]int, 9)
		tb := newTable(t, msgs.Config{}, append(everything()[1:], on(func(in *msgs.In, m *Say) {
			if in.Peer.ID() == 5 {
				panic("oh \u202e no")
			}
			heard[in.Peer.ID()]++
		}))...)
		var conns []*conn
		for id := uint32(1); id <= 8; id++ {
			conns = append(conns, tb.joins(id))
		}
		for range 100 {
			for _, c := range conns {
				if c.id == 3 {
					tb.sendsBytes(c, &chat.Entries[0], encodedForbidden())
				} else {
					tb.sends(c, &Say{})
				}
			}
			tb.RunFrame()
		}
		require.Equal(t, []int{0, 100, 100, 0, 100, 0, 100, 100, 100}, heard)
		require.Equal(t, "malformed=100 panic=100", tb.drops())
		require.Equal(t, uint64(600), tb.Stats().Handled.Messages)

		panics := slices.DeleteFunc(tb.lines(), func(line string) bool { return !strings.HasPrefix(line, "level=ERROR") })
		require.Len(t, panics, 1, "one for the type of message, not one for each message")
		require.Contains(t, panics[0], `level=ERROR msg="A handler panicked" message=Say peer="player 5" panic="oh � no" stack=`)
		require.Contains(t, panics[0], "TestOneBadMessageHoldsUpNoOther", "the stack is that of the handler")
	}
}

func TestAfterAPanicTheHandlerDecodesWithoutAllocatingAgain(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(func(_ *msgs.In, m *Move) {
		if m.X == 13 {
			panic("unlucky")
		}
	}))
	ann := tb.joins(1)
	tb.sends(ann, &Move{X: 13})
	ev := transport.Event{Kind: transport.Message, Conn: ann, Payload: encoded(&Move{X: 1})}
	require.Zero(t, testing.AllocsPerRun(100, func() { tb.Route(ev) }))
	require.Equal(t, "panic=1", tb.drops())
}

// A handler that ends its goroutine leaves the router ready for the next one.
func TestAHandlerMayEndItsGoroutine(t *testing.T) {
	var heard []string
	handle := func(_ *msgs.In, m *Say) {
		heard = append(heard, m.Text)
		if m.Text == "exit" {
			runtime.Goexit()
		}
	}
	for _, row := range []struct {
		handler msgs.Handler
		want    []string
	}{{msgs.On(handle), []string{"exit", "later"}}, {msgs.OnFrame(handle), []string{"exit", "queued behind", "later"}}} {
		heard = nil
		tb := newTable(t, msgs.Config{}, row.handler)
		ann := tb.joins(1)
		done := make(chan bool)
		go func() {
			defer close(done)
			tb.sends(ann, &Say{Text: "exit"})
			tb.sends(ann, &Say{Text: "queued behind"})
			tb.RunFrame()
		}()
		<-done
		tb.sends(ann, &Say{Text: "later"})
		tb.RunFrame()
		tb.RunFrame()
		require.Equal(t, row.want, heard)
	}
}

func TestFunctionsOfConfigMayPanic(t *testing.T) {
	var left []uint32
	tb := newTable(t, msgs.Config{
		Joined:  func(p *msgs.Peer) { panic("joined") },
		Outcome: func(*msgs.Peer, uint64, transport.Fate) { panic("outcome") },
		OnAbuse: func(*msgs.Peer, msgs.Abuse) { panic("abuse") },
		Left: func(p *msgs.Peer, _ error) {
			left = append(left, p.ID())
			panic("left")
		},
	}, everything()...)
	for id := uint32(1); id <= 3; id++ {
		c := tb.joins(id)
		tb.Route(transport.Event{Kind: transport.Outcome, Conn: c, Receipt: 1})
		for range 11 {
			tb.sendsBytes(c, &chat.Entries[0], encodedForbidden())
		}
		tb.leaves(c)
	}
	require.Equal(t, []uint32{1, 2, 3}, left)
	require.Equal(t, uint64(12), tb.Stats().Panics)
	panics := slices.DeleteFunc(tb.lines(), func(line string) bool { return !strings.HasPrefix(line, "level=ERROR") })
	require.Len(t, panics, 4, "one for each function")
	require.Contains(t, panics[0], `level=ERROR msg="A function of Config panicked" function=Joined peer="player 1" panic=joined stack=`)
}
