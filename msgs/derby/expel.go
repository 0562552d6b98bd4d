package derby

import (
	"errors"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// expel ends the session of each player for whom a reliable message could not be queued, as err says: whatever came after that would make no sense.
func (h *Host) expel(err error) {
	switch e := err.(type) {
	case *msgs.SendError:
		if errors.Is(e, transport.ErrQueueFull) && playerOf(e.Peer).admitted {
			h.stats.TooSlow++
			_ = h.dismiss(playerOf(e.Peer))
		}
	case interface{ Unwrap() []error }: // one for each player
		for _, err := range e.Unwrap() {
			h.expel(err)
		}
	}
}
