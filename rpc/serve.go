package rpc

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// serving is a request of a peer that this side has begun to run and not answered.
type serving struct {
	route     *route
	serial    uint16
	until     int64
	caller    *peer // who made it in this process, as that side knows us
	cancelled bool
}

// begin makes the last checks of a request, and counts it among those that are not answered.
func (in *In) begin() Drop {
	p := in.peer
	switch {
	case in.until <= in.calls.now:
		return DropLate
	case len(p.serving) >= in.calls.config.Pending:
		return DropBusy
	}
	in.begun = true
	in.calls.expiry = min(in.calls.expiry, in.until)
	p.serving = append(p.serving, serving{route: in.route, serial: in.serial, until: in.until, caller: in.caller})
	return Handled
}

// served ends a request that was begun, and reports whether it was.
func (p *peer) served(serial uint16, caller *peer) (s serving, ok bool) {
	for i := range p.serving {
		if s := p.serving[i]; s.serial == serial && s.caller == caller {
			p.serving = slices.Delete(p.serving, i, i+1)
			return s, true
		}
	}
	return s, false
}

// answer answers the request that has run, unless that was put off.
func (in *In) answer() {
	if in.answered {
		return
	}
	in.peer.served(in.serial, in.caller)
	if err := in.peer.answer(in.route, in.serial, in.caller, in.failed, in.Results); err != nil {
		in.route.unanswerable(in.calls, err)
	}
}

// answer gives the caller of a request results, or what of failed it may know.
func (p *peer) answer(rt *route, serial uint16, caller *peer, failed error, results any) error {
	if failed == nil {
		return p.reply(rt, serial, caller, statusDone, nil, results)
	}
	travels, ok := errors.AsType[*Error](failed)
	if !ok {
		travels = &Error{}
	}
	return p.reply(rt, serial, caller, statusFailed, travels, nil)
}

// reply tells the caller of a request how it ended.
func (p *peer) reply(rt *route, serial uint16, caller *peer, ended status, failed *Error, results any) error {
	if caller != nil {
		return caller.resolve(rt, serial, ended, failed, results)
	}
	s := p.begin(controlReply, serial)
	defer p.calls.putAway() // Encode may panic, since it asks Validate
	s.w.Bits(uint32(ended), 4)
	switch ended {
	case statusDone:
		rt.Results.Encode(&s.w, results)
	case statusFailed:
		s.w.Uint16(failed.Code)
		s.w.Text(cut(failed.Text), maxErrorText, 8)
	}
	err := p.send(s, rt)
	if err != nil && ended == statusDone { // the results cannot be encoded, or are too large
		_ = p.reply(rt, serial, nil, statusFailed, &Error{}, nil)
	}
	return err
}

// cut shortens a text to what an error may have, at the border of a character.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxErrorText {
		return text
	}
	end := maxErrorText
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end]
}

// cancel handles what cancels a request.
func (in *In) cancel(serial uint16) {
	switch unread := in.r.Unread(); {
	case in.r.Err() != nil:
		in.drop(DropMalformed, in.r.Err())
	case unread > 0:
		in.drop(DropUnread, errUnread)
	case !in.peer.cancelled(serial):
		in.drop(DropStray, nil)
	default:
		in.handled()
	}
}

// cancelled notes that the caller of a request does not wait any more, and reports whether it was there.
func (p *peer) cancelled(serial uint16) bool {
	for i := range p.serving {
		if s := &p.serving[i]; s.serial == serial {
			s.cancelled = true
			return true
		}
	}
	found := p.calls.waiting.cancel(p, serial)
	for i := range p.calls.phases {
		found = found || p.phased[i].calls > 0 && p.calls.phases[i].cancel(p, serial)
	}
	return found
}

// Later is a request that is answered after its method has returned. It is a plain value.
type Later struct {
	peer   *peer
	route  *route
	serial uint16
	caller *peer
}

// Later puts off the answer: what the method returns is ignored, and the function that netgen wrote for it, such as AnswerDoorServerPrice, has to be called with the Later, on the same goroutine. The
// zero Later, which is that of a method without an answer, can be answered and nothing happens.
func (c ServerCall) Later() Later { return c.in.later() }

// Later is as that of ServerCall.
func (c ClientCall) Later() Later { return c.in.later() }

func (in *In) later() Later {
	if in == nil || !in.request {
		return Later{}
	}
	in.answered = true
	return Later{in.peer, in.route, in.serial, in.caller}
}

// Cancelled reports whether nobody waits for the answer any more.
func (l Later) Cancelled() bool {
	if l.peer == nil {
		return true
	}
	for i := range l.peer.serving {
		if s := &l.peer.serving[i]; s.serial == l.serial && s.caller == l.caller {
			return s.cancelled || s.until <= l.peer.calls.now
		}
	}
	return true
}

// Answer answers a request with what New of Method.Results makes, or with an error. It returns ErrCancelled if nobody waits for it. Generated functions call it.
func (l Later) Answer(of *Method, results any, failed error) error {
	if l.peer == nil {
		return ErrCancelled
	}
	if l.route.Method != of {
		return errors.New("rpc: the request is of " + l.route.Name + ", not of " + of.Name)
	}
	over := l.Cancelled()
	if _, found := l.peer.served(l.serial, l.caller); !found || over {
		return ErrCancelled
	}
	return l.peer.answer(l.route, l.serial, l.caller, failed, results)
}

// resolve ends a request of ours that was made in this process.
func (p *peer) resolve(rt *route, serial uint16, s status, failed *Error, results any) error {
	i := p.find(serial)
	if i < 0 {
		return ErrCancelled
	}
	p.pending[i].route.stats.Handled.Calls++
	p.stats.Handled.Calls++
	p.calls.stats.Handled.Calls++
	switch s {
	case statusDone:
		if err := p.calls.encodable(&rt.Results, results); err != nil {
			p.end(i, nil, &Error{})
			return err
		}
		p.end(i, results, nil)
	case statusFailed:
		p.end(i, nil, failed)
	default:
		p.end(i, nil, statusErrors[s])
	}
	return nil
}

// encodable says what keeps values from being encoded.
func (c *Calls) encodable(v *Values, values any) error {
	if v.Plain {
		return nil
	}
	s := c.sheet()
	defer c.putAway()
	v.Encode(&s.w, values)
	return s.w.Err()
}

// seen is which requests of a peer came: the newest serial, and which of the 1,023 before it.
type seen struct {
	begun  bool
	newest uint16
	bits   [seenSerials / 64]uint64
}

const seenSerials = 1024

// add reports whether a serial is new, and notes it.
func (s *seen) add(serial uint16) bool {
	if !s.begun {
		s.begun, s.newest = true, serial
	}
	switch ahead := int(int16(serial - s.newest)); {
	case ahead > 0:
		s.advance(ahead)
	case ahead <= -seenSerials || ahead == math.MinInt16:
		return false
	}
	word, bit := &s.bits[serial%seenSerials/64], uint64(1)<<(serial%64)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

// advance makes the n-th serial after it the newest.
func (s *seen) advance(n int) {
	for range min(n, seenSerials) {
		s.newest++
		n--
		s.bits[s.newest%seenSerials/64] &^= 1 << (s.newest % 64)
	}
	s.newest += uint16(n)
}
