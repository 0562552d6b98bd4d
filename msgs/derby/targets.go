package derby

import "github.com/gannet-net/gannet/msgs"

// ToAll is every player who is admitted, but for the one at the host.
func (h *Host) ToAll() msgs.Target { return h.all }

// To is one player. To send to one who is not there, or to the one at the host, is an error.
func (h *Host) To(id PlayerID) msgs.Target {
	if p := h.player(id); p != nil {
		return p.peer
	}
	return (*msgs.Peer)(nil)
}

// ToAllExcept is every player who is admitted but one, as ToAll. What a player sent is relayed to it. The target is valid until the roster changes.
func (h *Host) ToAllExcept(id PlayerID) msgs.Target {
	if p := h.player(id); p != nil {
		return p.others
	}
	return h.all
}

// ToAll is the host, who relays to the others what they are to see.
func (c *Client) ToAll() msgs.Target { return c.router.All() }
