package msgs

import (
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
)

// unsupported is why a connection does not carry some messages.
type unsupported struct {
	text     string
	messages []Descriptor
}

// unsupported finds the messages that this side sends and the connection of p would not take, by reason.
func (r *Router) unsupported(p *Peer) []unsupported {
	var found []unsupported
	for _, rt := range r.inOrder {
		text := p.objection(rt)
		if rt.entry.From&r.config.Side == 0 || text == "" {
			continue
		}
		i := 0
		for i < len(found) && found[i].text != text {
			i++
		}
		if i == len(found) {
			found = append(found, unsupported{text: text})
		}
		found[i].messages = append(found[i].messages, rt.descriptor())
	}
	return found
}

// objection is why the connection does not take all messages of a type, or "".
func (p *Peer) objection(rt *route) string {
	e := rt.entry
	if !p.conn.Supports(e.Delivery, rt.channel) {
		return fmt.Sprintf("it has no delivery %v on channel %d", e.Delivery, rt.channel)
	}
	size := e.MaxSize
	if size == layout.Unlimited { // then it is for the game to keep it short
		size = e.MinSize
	}
	if limit := p.conn.MaxPayload(e.Delivery); size > limit {
		return fmt.Sprintf("they may be longer than %d bytes, its limit for delivery %v", limit, e.Delivery)
	}
	return ""
}
