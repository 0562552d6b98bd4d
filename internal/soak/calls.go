package soak

import (
	"errors"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// callsChannel is the channel of all calls.
const callsChannel = 60

// Turns between two calls that nothing comes back from, and between two requests.
const (
	tellEvery = 20
	askEvery  = 35
)

// aCall is what a call says: its number among those of its sort, and the end that made it.
type aCall struct{ Number, From uint32 }

// answer is what comes back.
type answer struct{ Value uint32 }

// unlucky is the number of each so many requests at which the method panics.
const unlucky = 16

// rightAnswer follows from the request.
func (a aCall) rightAnswer() uint32 { return uint32(mix(uint64(a.From)<<32|uint64(a.Number), 99)) }

// contract is what both sides of a world call each other.
type contract struct {
	runs     [2]*rpc.Interface // by what the host runs, and what players run
	tell     [2]*rpc.Defined[aCall]
	ask      [2]*rpc.DefinedRequest[aCall, answer]
	complete *rpc.Contract
}

func newContract() *contract {
	c := &contract{}
	d := rpc.NewDraft("soak", "SOAK-1")
	for i, at := range [2]msgs.Side{msgs.Host, msgs.Client} {
		c.runs[i] = &rpc.Interface{Name: [2]string{"SoakServer", "SoakClient"}[i], At: at}
		c.tell[i] = rpc.Define(d, rpc.Method{Name: "Tell", Of: c.runs[i]}, func(in *rpc.In, a *aCall) error {
			in.Target.(*phone).of(peerOf(in, at)).told(*a)
			return nil
		})
		c.ask[i] = rpc.DefineRequest(d, rpc.Method{Name: "Ask", Of: c.runs[i]}, func(in *rpc.In, a *aCall) (answer, error) {
			in.Target.(*phone).of(peerOf(in, at)).asked(*a)
			if a.Number%unlucky == unlucky-1 {
				panic("a method that fails")
			}
			return answer{a.rightAnswer()}, nil
		})
	}
	c.complete = must(d.Contract())
	return c
}

func peerOf(in *rpc.In, at msgs.Side) *msgs.Peer {
	if at == msgs.Host {
		return in.ServerCall().From
	}
	return in.ClientCall().From
}

// phone makes and takes the calls of a program.
type phone struct {
	w      *world
	router *msgs.Router
	calls  *rpc.Calls
	of     func(*msgs.Peer) *calling
}

// newPhone gives a program what it calls with, nil in worlds without calls. of gives the books of a peer.
func (w *world) newPhone(side msgs.Side, of func(*msgs.Peer) *calling) *phone {
	if w.contract == nil {
		return nil
	}
	router := must(msgs.NewRouter(msgs.Config{Side: side, Catalogues: []msgs.Mount{rpc.Mount(callsChannel, 0)}}))
	calls := must(rpc.New(rpc.Config{
		Router: router, Contracts: []*rpc.Contract{w.contract.complete}, Recorder: -1,
		Budget: rpc.Budget{Calls: -1, CallsAtOnce: -1, Bytes: -1, BytesAtOnce: -1},
	}))
	p := &phone{w: w, router: router, calls: calls, of: of}
	runs := w.contract.runs[0]
	if side == msgs.Client {
		runs = w.contract.runs[1]
	}
	if err := calls.Bind(runs, 0, p, p); err != nil {
		panic(err)
	}
	return p
}

// tick lets deadlines of requests pass.
func (p *phone) tick(now int64) {
	if p != nil {
		p.calls.Tick(now)
	}
}

// calling are the books of what an end of a session calls and hears.
type calling struct {
	end     *end
	phone   *phone
	sent    [2]uint32 // calls that nothing comes back from, and requests
	heard   [2]uint32 // of the peer's
	waiting map[uint32]bool
}

// joins begins the calls of a session.
func (e *end) joins(p *phone, ev transport.Event) {
	if p == nil || !e.conn.Encrypted() {
		return
	}
	e.calls = &calling{end: e, phone: p, waiting: map[uint32]bool{}}
	p.router.Route(ev)
}

// parts ends them: no request stays without an end.
func (e *end) parts(ev transport.Event) {
	c := e.calls
	if c == nil {
		return
	}
	c.phone.router.Route(ev)
	if len(c.waiting) > 0 {
		e.w.fail(Events, "%s: %d requests have not ended, and the session has", e.name, len(c.waiting))
	}
}

// called takes a message of the channel of calls.
func (e *end) called(ev transport.Event) {
	switch {
	case e.calls == nil || e.peer == nil:
		e.w.fail(AsSent, "%s: a call before the other side was connected", e.name)
	case e.left != 0:
		e.w.fail(SilentAfterEnd, "%s: a call after its application has left", e.name)
	case !e.calls.phone.router.Route(ev):
		e.w.fail(Bounded, "%s: a call was not taken", e.name)
	}
}

// told takes a call that nothing goes back for.
func (c *calling) told(a aCall) { c.hear(0, a) }

// asked takes a request.
func (c *calling) asked(a aCall) { c.hear(1, a) }

// hear holds that calls come once each and in their order.
func (c *calling) hear(sort int, a aCall) {
	e := c.end
	switch o := e.peer; {
	case a.From != o.serial || a.Number >= o.calls.sent[sort]:
		e.w.fail(AsSent, "%s: call %d of sort %d of end %d, which was never made", e.name, a.Number, sort, a.From)
	case a.Number != c.heard[sort]:
		e.w.fail(OnceInOrder, "%s: call %d of sort %d, after %d", e.name, a.Number, sort, c.heard[sort])
	}
	c.heard[sort] = a.Number + 1
	e.w.census.count([2]string{"call", "request"}[sort])
}

// call makes the calls that are due.
func (c *calling) call() {
	e, p := c.end, c.phone
	other, to := 1, p.calls.To(p.router.Peer(e.id))
	if !e.host {
		other, to = 0, p.calls.Server()
	}
	if e.ticks%tellEvery == 0 {
		c.count(0, p.w.contract.tell[other].Send(to, 0, aCall{c.sent[0], e.serial}))
	}
	if e.ticks%askEvery == 0 {
		n := c.sent[1]
		_, err := p.w.contract.ask[other].Ask(to, 0, aCall{n, e.serial}, func(got answer, err error) { c.answered(n, got, err) })
		if err == nil {
			c.waiting[n] = true
		}
		c.count(1, err)
	}
}

// count counts a call that was made, and excuses one that was not.
func (c *calling) count(sort int, err error) {
	var gone *transport.DisconnectError
	switch {
	case err == nil:
		c.sent[sort]++
	case errors.Is(err, transport.ErrQueueFull), errors.Is(err, rpc.ErrBusy), errors.As(err, &gone):
		c.end.w.census.count("call not made")
	default:
		c.end.w.fail(Bounded, "%s: calling: %v", c.end.name, err)
	}
}

// answered holds that each request ends once, in what its method gave or in what happened to it.
func (c *calling) answered(n uint32, got answer, err error) {
	e := c.end
	if !c.waiting[n] {
		e.w.fail(OnceInOrder, "%s: request %d ended again: %v", e.name, n, err)
	}
	delete(c.waiting, n)
	panics := n%unlucky == unlucky-1
	var refused *rpc.Error
	switch {
	case err == nil && !panics && got.Value == (aCall{n, e.serial}).rightAnswer():
	case errors.Is(err, rpc.ErrPanic) && panics, errors.Is(err, rpc.ErrDeadline), errors.Is(err, rpc.ErrGone):
	case errors.As(err, &refused) && *refused == (rpc.Error{}) && e.w.plan.Heavy: // where queues overflow the results may find no room, and an error, which is shorter, does
	default:
		e.w.fail(AsSent, "%s: request %d ended in %v, %v", e.name, n, got, err)
	}
	e.w.census.count("request ended: " + endOfRequest(err))
}

func endOfRequest(err error) string {
	if err == nil {
		return "answered"
	}
	return err.Error()
}

// unheard counts the calls of e that have to arrive at its peer and did not.
func (e *end) unheard() (n int) {
	if e.calls == nil || e.peer.calls == nil {
		return 0
	}
	for i, sent := range e.calls.sent {
		n += int(sent - e.peer.calls.heard[i])
	}
	return n
}

// missingCalls says which calls of e, or answers to them, have not come.
func (e *end) missingCalls() string {
	if n := e.unheard(); n > 0 {
		return fmt.Sprintf("%d calls of %s", n, e.name)
	}
	if e.peer.calls == nil || e.peer.calls.phone.calls.Stats().Unsent == 0 { // an answer that found no room is not sent again
		return e.unanswered()
	}
	return ""
}

// requestsEnd is how long a request may wait: its deadline, and a slow turn.
const requestsEnd = 6 * time.Second

// unanswered says that requests of e have not ended.
func (e *end) unanswered() string {
	if e.calls == nil || len(e.calls.waiting) == 0 {
		return ""
	}
	return fmt.Sprintf("%d answers to %s", len(e.calls.waiting), e.name)
}
