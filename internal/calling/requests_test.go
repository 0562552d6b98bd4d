package calling

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// answers collects what requests ended in.
type answers []string

func (a *answers) price(c arena.Coins, err error) { *a = append(*a, fmt.Sprint(c, " ", err)) }
func (a *answers) ready(is bool, err error)       { *a = append(*a, fmt.Sprint(is, " ", err)) }

// take gives what has come since the last time.
func (a *answers) take() []string {
	was := *a
	*a = nil
	return was
}

func TestRequestsAreAnsweredInBothDirections(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	var got answers
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[1].Server(), 4, got.price)
	require.NoError(t, err)
	_, err = arena.LevelRef{}.Ready(tb.server.To(tb.clients[0].peer), got.ready)
	require.NoError(t, err)
	require.Empty(t, got, "nothing is answered before it was asked")
	tb.plays()
	require.ElementsMatch(t, []string{"40 <nil>", "true <nil>"}, got.take())
	tb.passes(time.Minute)
	require.Empty(t, got, "and nothing twice")
}

func TestARequestIsForOne(t *testing.T) {
	tb := sit(t, 2)
	_, err := arena.LevelRef{}.Ready(tb.server.All(), nil)
	require.ErrorIs(t, err, rpc.ErrOne)
	_, err = arena.LevelRef{}.Save(tb.clients[0].All(), nil)
	require.NoError(t, err, "all is one at a client")
	tb.plays()
	require.Equal(t, []string{"player 1: save"}, tb.happened())
}

func TestErrorsTravelByCodeAndTextAndNoOthers(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	for _, c := range []struct {
		fails error
		code  uint16
		text  string
	}{
		{&rpc.Error{Code: 7, Text: "sold out"}, 7, "sold out"},
		{fmt.Errorf("at the counter: %w", &rpc.Error{Code: 8}), 8, ""},
		{errRefused, 0, ""},
		{&rpc.Error{Text: strings.Repeat("ä", 150)}, 0, strings.Repeat("ä", 100)},
		{&rpc.Error{Text: "bad \xff"}, 0, "bad \uFFFD"},
	} {
		d.fails = c.fails
		var got error
		_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, func(coins arena.Coins, err error) {
			require.Zero(t, coins, "what came with an error is not for the caller")
			got = err
		})
		require.NoError(t, err)
		tb.plays()
		var typed *rpc.Error
		require.ErrorAs(t, got, &typed)
		require.Equal(t, rpc.Error{Code: c.code, Text: c.text}, *typed)
		require.NotContains(t, got.Error(), "secret")
	}
}

func TestARequestThatIsRefusedSaysWhy(t *testing.T) {
	tb := sit(t, 2)
	mine, d := tb.hangs()
	life, _ := tb.server.Objects().Claim()
	require.NoError(t, arena.BindLifeServer(tb.server.Calls, life, &lifeOf{tb}))
	ask := func(id rpc.NetID) []string {
		var got answers
		_, err := arena.DoorRef{ID: id}.Price(tb.clients[1].Server(), 4, got.price)
		require.NoError(t, err)
		tb.plays()
		return got
	}
	require.Equal(t, []string{"0 " + rpc.ErrTarget.Error()}, ask(77))
	require.Equal(t, []string{"0 " + rpc.ErrTarget.Error()}, ask(life))
	d.does = func(rpc.ServerCall) { panic("oh") }
	require.Equal(t, []string{"0 " + rpc.ErrPanic.Error()}, ask(mine))
	require.Equal(t, "target=1 type=1 panic=1", tb.server.drops())
	require.Contains(t, tb.log.String(), "A method panicked")
	require.Contains(t, tb.log.String(), "DoorServer.Price on 00000001(Item 4)", "with the calls before it")
}

func TestARequestEndsAtItsDeadlineAndTheAnswerThatComesThenIsStray(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	var later rpc.Later
	d.does = func(c rpc.ServerCall) { later = c.Later() }
	var got answers
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
	require.NoError(t, err)
	tb.plays()
	tb.passes(499 * time.Millisecond)
	require.Empty(t, got)
	require.False(t, later.Cancelled())
	tb.passes(time.Millisecond)
	require.Equal(t, []string{"0 " + rpc.ErrDeadline.Error()}, got.take())
	require.True(t, later.Cancelled())
	require.ErrorIs(t, arena.AnswerDoorServerPrice(later, 9, nil), rpc.ErrCancelled)

	t.Log("with another deadline")
	_, err = arena.DoorRef{ID: id}.Price(tb.clients[0].Server().Within(time.Second), 4, got.price)
	require.NoError(t, err)
	tb.passes(700 * time.Millisecond)
	require.NoError(t, arena.AnswerDoorServerPrice(later, 9, nil))
	require.ErrorIs(t, arena.AnswerDoorServerPrice(later, 9, nil), rpc.ErrCancelled, "once")
	tb.plays()
	require.Equal(t, []string{"9 <nil>"}, got.take())

	t.Log("a reply without a request")
	require.NoError(t, tb.server.router.Peer(1).Conn().Send(reply(tb, 2, func(w *wire.BitWriter) { w.Bits(0, 4); w.Uint32(5) }), transport.SendOptions{Delivery: transport.ReliableOrdered}))
	tb.plays()
	require.Equal(t, "stray=1", tb.clients[0].drops())
	require.Empty(t, got)
}

// reply is a control frame for a client, whose methods are 6.
func reply(_ *table, serial uint16, body func(*wire.BitWriter)) []byte {
	w := wire.NewBitWriter(nil)
	w.Bits(6, 3)
	w.Bits(0, 1)
	w.Bits(uint32(serial), 16)
	body(&w)
	return w.Bytes()
}

func TestAReplyThatCannotBeReadEndsTheRequest(t *testing.T) {
	for name, body := range map[string]func(*wire.BitWriter){
		"of a status that does not exist": func(w *wire.BitWriter) { w.Bits(11, 4) },
		"cut":                             func(w *wire.BitWriter) { w.Bits(0, 4); w.Bits(0, 16) },
		"with leftovers":                  func(w *wire.BitWriter) { w.Bits(0, 4); w.Uint32(1); w.Uint16(0) },
	} {
		tb := sit(t, 1)
		id, d := tb.hangs()
		d.does = func(c rpc.ServerCall) { c.Later() }
		var got answers
		_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
		require.NoError(t, err)
		require.NoError(t, tb.server.router.Peer(1).Conn().Send(reply(tb, 1, body), transport.SendOptions{Delivery: transport.ReliableOrdered}))
		tb.plays()
		require.Equal(t, []string{"0 " + rpc.ErrMalformed.Error()}, got.take(), name)
		require.Equal(t, "malformed=1", tb.clients[0].drops(), name)
	}
}

func TestWhatIsCancelledDoesNotRun(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	client := tb.clients[0]
	var later rpc.Later
	d.does = func(c rpc.ServerCall) { later = c.Later() }
	var got answers
	r, err := arena.DoorRef{ID: id}.Price(client.Server(), 4, got.price)
	require.NoError(t, err)
	tb.plays()
	require.False(t, later.Cancelled())
	require.True(t, r.Cancel())
	require.Equal(t, []string{"0 " + rpc.ErrCancelled.Error()}, got.take(), "at once")
	require.False(t, r.Cancel(), "it has ended")
	tb.plays()
	require.True(t, later.Cancelled())
	require.ErrorIs(t, arena.AnswerDoorServerPrice(later, 9, nil), rpc.ErrCancelled)
	tb.plays()
	require.Empty(t, got)

	t.Log("one that waits for its object")
	first, _ := tb.server.Objects().Claim()
	require.NoError(t, tb.server.Objects().Expect(first, 1))
	r, err = arena.DoorRef{ID: first}.Price(client.Server(), 4, got.price)
	require.NoError(t, err)
	tb.happened()
	tb.plays()
	require.True(t, r.Cancel())
	tb.plays()
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, first, &door{table: tb}))
	require.True(t, tb.server.Objects().Appear(first))
	require.Empty(t, tb.happened())
	require.Equal(t, "late=1", tb.server.drops())

	t.Log("and one whose time is over while it waits")
	second, _ := tb.server.Objects().Claim()
	require.NoError(t, tb.server.Objects().Expect(second, 1))
	_, err = arena.DoorRef{ID: second}.Price(client.Server(), 4, got.price)
	require.NoError(t, err)
	tb.plays()
	tb.passes(500 * time.Millisecond)
	require.Equal(t, "waiting=1 late=1", tb.server.drops())
}

func TestARequestThatTheConnectionDoesNotTakeIsForgotten(t *testing.T) {
	tb := sit(t, 1, unlimited)
	id, _ := tb.hangs()
	to := tb.clients[0].Server()
	for {
		if err := (arena.LevelRef{}).Hello(to); err != nil {
			require.ErrorIs(t, err, transport.ErrQueueFull)
			break
		}
	}
	var got answers
	_, err := arena.DoorRef{ID: id}.Price(to, 4, got.price)
	require.ErrorIs(t, err, transport.ErrQueueFull)
	tb.passes(time.Minute)
	require.Empty(t, got, "the error was its end")
}

func TestToCancelARequestThatHasEndedIsNothingToOneThatHasItsSerial(t *testing.T) {
	tb := sit(t, 1, unlimited)
	require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
	id, d := tb.hangs()
	to := tb.clients[0].Server()
	old, err := arena.DoorRef{ID: id}.Price(to, 1, nil)
	require.NoError(t, err)
	for range 1<<16 - 1 {
		_, err := arena.DoorRef{ID: id}.Price(to, 1, nil)
		require.NoError(t, err)
	}
	d.does = func(c rpc.ServerCall) { c.Later() }
	r, err := arena.DoorRef{ID: id}.Price(to, 1, nil)
	require.NoError(t, err)
	require.False(t, old.Cancel())
	require.True(t, r.Cancel())
	require.False(t, rpc.Request{}.Cancel())
}

func TestNoMoreRequestsAreOnTheWayThanPending(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Pending = 3; c.Budget = rpc.Budget{Calls: -1} })
	id, d := tb.hangs()
	var laters []rpc.Later
	d.does = func(c rpc.ServerCall) { laters = append(laters, c.Later()) }
	var got answers
	for range 3 {
		_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
		require.NoError(t, err)
	}
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
	require.ErrorIs(t, err, rpc.ErrBusy)

	t.Log("nor does the server take more, of whoever does not count")
	tb.plays()
	require.NoError(t, tb.clients[0].router.Host().Conn().Send(frame(price, on(id), bits(100, 16), bits(500, 16), bits(0, 16)), transport.SendOptions{Delivery: transport.ReliableOrdered}))
	tb.plays()
	require.Equal(t, "busy=1", tb.server.drops())
	for _, l := range laters {
		require.NoError(t, arena.AnswerDoorServerPrice(l, 1, nil))
	}
	tb.plays()
	require.Len(t, got, 3)
	_, err = arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
	require.NoError(t, err)
}

func TestRequestsEndWithTheSession(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	d.does = func(c rpc.ServerCall) { c.Later() }
	var got answers
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
	require.NoError(t, err)
	_, err = arena.LevelRef{}.Ready(tb.server.To(tb.clients[0].peer), got.ready)
	require.NoError(t, err)
	tb.clients[0].peer.Kick(1, "go")
	tb.plays()
	require.ElementsMatch(t, []string{"0 " + rpc.ErrGone.Error(), "false " + rpc.ErrGone.Error()}, got.take())
	_, err = arena.LevelRef{}.Ready(tb.server.To(tb.clients[0].peer), got.ready)
	require.ErrorIs(t, err, rpc.ErrNoAudience)
	require.Contains(t, tb.log.String(), "A peer was kicked", "with what it did before")
	require.Contains(t, tb.log.String(), "player 1: LevelClient.Ready")
}

func TestASerialRunsOnceHoweverOftenItComes(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Budget = rpc.Budget{Calls: -1, Bytes: -1} })
	comes := func(serials ...int) (ran int) {
		for _, s := range serials {
			require.NoError(t, tb.clients[0].router.Host().Conn().Send(frame(save, bits(uint32(uint16(s)), 16), bits(1000, 16)), transport.SendOptions{Delivery: transport.ReliableOrdered}))
			tb.plays()
		}
		return len(tb.happened())
	}
	require.Equal(t, 5, comes(1, 3, 2, 3, 1, 5, 2, 4))
	require.Equal(t, 1, comes(5+1023, 5), "the 1,023rd before the newest is still known")
	require.Equal(t, 1, comes(6+1023, 5), "and then it is too old")
	require.Equal(t, 2, comes(1500, 1029-1+2))
	require.Equal(t, 1, comes(30000))
	require.Equal(t, 2, comes(30000-1, 30000-1022, 30000-1024, 30000-1030))
	require.Equal(t, 2, comes(62000, 62000+100, 62000))
	require.Equal(t, 2, comes(65535, 65536+3, 65535, 3), "serials go round")
}

func TestAPanicOfTheFunctionOfARequestIsSurvived(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, func(arena.Coins, error) { panic(errors.New("oh")) })
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, uint64(1), tb.clients[0].Stats().Panics)
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	tb.plays()
	require.Equal(t, []string{"player 1: price of 4", "player 1: hello"}, tb.happened())
}

func TestResultsThatCannotBeEncodedAreAnError(t *testing.T) {
	for _, direct := range []bool{false, true} {
		odd := manyOf(1, "LevelClient.LevelNumber", "LevelServer.Save")
		m := &odd.Methods[1]
		m.Results.Plain, m.Results.Encode = false, func(w *wire.BitWriter, _ any) { w.Fail(wire.ErrRange) }
		m.Call = func(in *rpc.In, _ any) { in.Return(nil) }
		tb := sit(t, 1, func(c *rpc.Config) { c.Contracts = append(c.Contracts, odd) })
		require.NoError(t, tb.server.Bind(m.Of, 0, t, t))
		if direct {
			require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
		}
		var got []error
		_, err := tb.clients[0].Server().Begin(odd, 1, 0).Ask(func(err error) { got = append(got, err) })
		require.NoError(t, err)
		tb.plays()
		require.Equal(t, []error{&rpc.Error{}}, got)
		require.Contains(t, tb.log.String(), "An answer could not be sent")
	}
}

func TestARequestThatIsNeverAnsweredCountsUntilItsCallerWaitsNoMore(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Pending = 3 })
	id, d := tb.hangs()
	d.does = func(c rpc.ServerCall) { c.Later() }
	var got answers
	for range 3 {
		_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
		require.NoError(t, err)
	}
	tb.plays()
	tb.passes(500 * time.Millisecond)
	require.Len(t, got.take(), 3, "of which the caller knows that they are over")

	d.does = nil
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 4, got.price)
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, []string{"40 <nil>"}, got.take())
	require.Equal(t, "none", tb.server.drops())
}

// asks sends a request for the price of a door as who does not count.
func (s *side) asks(id rpc.NetID, serial int) {
	call := frame(price, on(id), bits(uint32(uint16(serial)), 16), bits(500, 16), bits(4, 16))
	require.NoError(s.table, s.router.Host().Conn().Send(call, transport.SendOptions{Delivery: transport.ReliableOrdered}))
	s.table.plays()
}

func TestARequestThatDoesNotRunEndsNoOtherOfItsSerial(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Pending = 2 })
	id, d := tb.hangs()
	var laters []rpc.Later
	d.does = func(c rpc.ServerCall) { laters = append(laters, c.Later()) }
	client := tb.clients[0]
	client.asks(id, 1)
	client.asks(id, 2)
	require.Len(t, laters, 2)

	t.Log("so far on that the first serials count as new again")
	for _, serial := range []int{20000, 40000, 60000, 1, 2} {
		client.asks(id, serial)
	}
	require.Len(t, laters, 2, "no more are run at once")
	require.Equal(t, "busy=5", tb.server.drops())
	require.NoError(t, arena.AnswerDoorServerPrice(laters[0], 1, nil), "and those that run are answered")
}

func TestARequestThatTheNetworkDoublesIsNotRefusedForItsRate(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Budget = rpc.Budget{Calls: 1, CallsAtOnce: 1} })
	id, d := tb.hangs()
	var later rpc.Later
	d.does = func(c rpc.ServerCall) { later = c.Later() }
	client := tb.clients[0]
	var got answers
	_, err := arena.DoorRef{ID: id}.Price(client.Server(), 4, got.price)
	require.NoError(t, err)
	tb.plays()
	client.asks(id, 1)
	require.Equal(t, "budget=1", tb.server.drops())
	require.Empty(t, got, "its caller hears nothing of that")
	require.NoError(t, arena.AnswerDoorServerPrice(later, 9, nil))
	tb.plays()
	require.Equal(t, []string{"9 <nil>"}, got.take())
}
