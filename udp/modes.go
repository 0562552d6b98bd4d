package udp

import (
	"fmt"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
)

// modes are what a protocol has of delivery modes and channels.
type modes struct {
	channels int
	limits   [transport.ReliableSequenced + 1]int // largest message in bytes, 0 if the mode does not exist
}

var (
	secureModes = modes{channels: reliable.Channels, limits: [...]int{
		transport.Unreliable: reliable.MaxLossyMessage, transport.Sequenced: reliable.MaxLossyMessage,
		transport.ReliableUnordered: reliable.MaxReliableMessage, transport.ReliableOrdered: reliable.MaxReliableMessage,
		transport.ReliableSequenced: reliable.MaxReliableMessage,
	}}
	baseModes = modes{channels: 1, limits: [...]int{
		transport.Unreliable: framing.MaxUnreliable, transport.ReliableOrdered: framing.MaxReliable, transport.ReliableSequenced: 0,
	}}
)

func (c *Conn) modes() *modes {
	if c.plain {
		return &baseModes
	}
	return &secureModes
}

// maxPayload is the largest message of a mode, 0 if it does not exist.
func (m *modes) maxPayload(d transport.Delivery) int {
	if int(d) >= len(m.limits) {
		return 0
	}
	return m.limits[d]
}

// check finds what is wrong with a message whoever it goes to.
func (m *modes) check(size int, o *transport.SendOptions) error {
	limit := m.maxPayload(o.Delivery)
	switch {
	case m == &baseModes && (limit == 0 || o.Channel != 0 || o.ReplaceKey != 0):
		return transport.ErrNotOnBase
	case limit == 0:
		return fmt.Errorf("udp: delivery mode %d does not exist", o.Delivery)
	case int(o.Channel) >= m.channels:
		return fmt.Errorf("udp: channel %d does not exist: channels are 0 to %d", o.Channel, m.channels-1)
	case o.TTL < 0:
		return fmt.Errorf("udp: SendOptions.TTL is %v: it must not be negative", o.TTL)
	case size > limit:
		return &transport.TooLargeError{Size: size, Limit: limit}
	}
	return nil
}

// modes are those of the protocol that e was made for.
func (e *engine) modes() *modes {
	if e.cfg.Protocol == Base {
		return &baseModes
	}
	return &secureModes
}
