package udp

import "github.com/gannet-net/gannet/transport"

// Broadcast sends one message to every connection of the host that stands, attached ones included. A message that no peer could take
// (too large, or options that do not exist) is an error before anything is sent. A peer whose queue is full does not hold up the
// others: it misses the message, and the *BroadcastError that is returned counts it.
func (h *Host) Broadcast(payload []byte, o transport.SendOptions) error {
	e := h.e
	if err := e.modes().check(len(payload), &o); err != nil {
		return err
	}
	e.enter()
	if e.closing {
		e.leave()
		return ErrHostClosed
	}
	var result BroadcastError
	for c := range e.order.all() {
		if c.stands() && !c.leaving {
			result.add(c.send(payload, &o))
		}
	}
	locals := e.locals.conns
	e.leave()
	for _, conn := range locals {
		if conn.Err() == nil {
			result.add(conn.Send(payload, o))
		}
	}
	return result.orNil()
}
