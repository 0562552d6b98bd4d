package calling

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// The arguments and results of the drafted mill.
type (
	grind struct {
		Corn  uint16 `net:"bits=10"`
		Speed float32
		Note  string `net:"max=20"`
	}
	flour  struct{ Sacks uint8 }
	turned struct {
		Angle float32 `net:"degrees,bits=8"`
	}
)

// mill is a contract that a program wrote down itself.
type mill struct {
	*table
	server, client *rpc.Interface
	contract       *rpc.Contract
	grind          *rpc.Defined[grind]
	sell           *rpc.DefinedRequest[flour, flour]
	turned         *rpc.Defined[turned]
	later          rpc.Later
}

// drafts writes the mill down.
func (tb *table) drafts() *mill {
	m := &mill{
		table: tb, server: &rpc.Interface{Name: "MillServer", At: msgs.Host, Instance: true}, client: &rpc.Interface{Name: "MillClient", At: msgs.Client, Instance: true},
	}
	d := rpc.NewDraft("mill", "MILL-1")
	m.grind = rpc.Define(d, rpc.Method{Name: "Grind", Of: m.server, Owner: true, Rate: rpc.Rate{Count: 2, Per: time.Second}}, func(in *rpc.In, a *grind) error {
		m.notes("%v: %v grinds %+v", in.ServerCall().From, in.Target, *a)
		return nil
	})
	m.sell = rpc.DefineRequest(d, rpc.Method{Name: "Sell", Of: m.server}, func(in *rpc.In, a *flour) (flour, error) {
		switch a.Sacks {
		case 0:
			return flour{}, &rpc.Error{Code: 7, Text: "sold out"}
		case 1:
			m.later = in.ServerCall().Later()
		}
		return flour{Sacks: a.Sacks + 1}, nil
	})
	m.turned = rpc.Define(d, rpc.Method{Name: "Turned", Of: m.client, Missing: rpc.Queue, Wait: time.Second, Deliveries: []transport.Delivery{transport.Unreliable}},
		func(in *rpc.In, a *turned) error {
			m.notes("client: %v turned to %v", in.ClientCall().ID, a.Angle)
			return nil
		})
	var err error
	m.contract, err = d.Contract()
	require.NoError(tb, err)
	again, err := d.Contract()
	require.NoError(tb, err)
	require.Same(tb, m.contract, again)
	for _, s := range append([]*side{tb.server}, tb.clients...) {
		require.NoError(tb, s.Register(m.contract))
	}
	return m
}

func TestADraftedContractIsCalledAsAGeneratedOne(t *testing.T) {
	tb := sit(t, 2)
	m := tb.drafts()
	owner := tb.clients[0]
	id := tb.claims()
	require.NoError(t, tb.server.Bind(m.server, id, "the mill", "the mill"))
	require.True(t, tb.server.Objects().Own(id, owner.peer))

	t.Log("rights and rates hold")
	require.NoError(t, m.grind.Send(owner.Server(), id, grind{Corn: 1023, Speed: 1.5, Note: "fine"}))
	require.ErrorIs(t, m.grind.Send(owner.Server(), id, grind{}), rpc.ErrRate)
	require.NoError(t, m.grind.Send(tb.clients[1].Server(), id, grind{}))
	tb.plays()
	require.Equal(t, []string{"player 1: the mill grinds {Corn:1023 Speed:1.5 Note:fine}"}, tb.happened())
	require.Equal(t, "owner=1", tb.server.drops())
	tb.passes(time.Second)
	require.ErrorContains(t, m.grind.Send(owner.Server(), id, grind{Corn: 1024}), "call MillServer.Grind not sent: ")
	require.ErrorContains(t, m.grind.Send(owner.Server(), id, grind{Corn: 1024}), "argument Corn")

	t.Log("requests are answered, refused, and answered later")
	var answers []string
	ask := func(sacks uint8) {
		_, err := m.sell.Ask(owner.Server(), id, flour{sacks}, func(f flour, err error) {
			refused, _ := errors.AsType[*rpc.Error](err)
			if refused != nil {
				answers = append(answers, refused.Text)
				return
			}
			require.NoError(t, err)
			answers = append(answers, strings.Repeat("sack ", int(f.Sacks)))
		})
		require.NoError(t, err)
	}
	ask(2)
	ask(0)
	ask(1)
	tb.plays()
	require.Equal(t, []string{"sack sack sack ", "sold out"}, answers)
	require.NoError(t, m.sell.Answer(m.later, flour{1}, nil))
	require.ErrorIs(t, m.sell.Answer(m.later, flour{1}, nil), rpc.ErrCancelled)
	tb.plays()
	require.Equal(t, "sack ", answers[2])
	_, err := m.sell.Ask(owner.Server(), id, flour{2}, nil)
	require.NoError(t, err)
	tb.plays()

	t.Log("and calls of clients wait for their object")
	require.NoError(t, m.turned.Send(tb.server.All(), id, turned{90}))
	tb.plays()
	require.Empty(t, tb.happened())
	require.NoError(t, owner.Bind(m.client, id, m, m))
	require.Equal(t, []string{"client: 00000001 turned to 90"}, tb.happened())
}

func TestADraftNeedsItsContract(t *testing.T) {
	tb := sit(t, 1)
	d := rpc.NewDraft("mill", "MILL-1")
	server := &rpc.Interface{Name: "MillServer", At: msgs.Host}
	grinds := rpc.Define(d, rpc.Method{Name: "Grind", Of: server}, func(*rpc.In, *grind) error { return nil })
	require.ErrorIs(t, grinds.Send(tb.clients[0].Server(), 0, grind{}), rpc.ErrNotRegistered)
	require.Nil(t, grinds.Values(grind{}))
	_, err := d.Contract()
	require.NoError(t, err)
	require.ErrorIs(t, grinds.Send(tb.clients[0].Server(), 0, grind{}), rpc.ErrNotRegistered, "it is there, but not registered")
}

// What is looked at once is not looked at for each call.
func TestCallsOfADraftAllocateNothing(t *testing.T) {
	tb := sit(t, 1, unlimited)
	d := rpc.NewDraft("quiet", "QUIET-1")
	ran := 0
	say := rpc.Define(d, rpc.Method{Name: "Say", Of: &rpc.Interface{Name: "QuietServer", At: msgs.Host}}, func(*rpc.In, *grind) error { ran++; return nil })
	contract, err := d.Contract()
	require.NoError(t, err)
	for _, s := range []*side{tb.server, tb.clients[0]} {
		require.NoError(t, s.Register(contract))
	}
	require.NoError(t, tb.server.Bind(contract.Methods[0].Of, 0, tb, tb))
	to := tb.clients[0].Server()
	round := func() {
		_ = say.Send(to, 0, grind{Corn: 3, Note: "the same"})
		tb.server.router.Pump(tb.server.from[0])
	}
	for range 100 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(200, round))
	require.Equal(t, 301, ran)
}
