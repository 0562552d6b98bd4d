package udp

import (
	"errors"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/secure"
)

// ticketAge is how old a client's ticket gets before it has a new one: half its life.
const ticketAge = int64(5 * time.Minute)

// Ticket brings a client back to a host that it lost, without a connect token: after a crash of either side, or a network that was away
// (PROTOCOL.md 19.2). Conn.Ticket gives it, and Config.Resume takes it. It is good for 10 minutes and for this client alone; whoever has its bytes is
// this client, so keep them like a password. It prints as "(secret)".
type Ticket struct {
	hostKey   secure.Key
	clientKey secure.Secret
	psk       secure.Secret
	verified  bool // the host was
	token     []byte
}

const (
	ticketForm = 1
	ticketHead = 1 + 1 + 3*len(secure.Secret{})
)

// MarshalBinary makes bytes of t, to be kept while the program does not run.
func (t *Ticket) MarshalBinary() ([]byte, error) {
	b := []byte{ticketForm, 0}
	if t.verified {
		b[1] = 1
	}
	b = append(b, t.hostKey[:]...)
	b = append(b, t.clientKey[:]...)
	b = append(b, t.psk[:]...)
	return append(b, t.token...), nil
}

// UnmarshalBinary makes t what MarshalBinary was called for.
func (t *Ticket) UnmarshalBinary(b []byte) error {
	switch {
	case len(b) <= ticketHead || len(b) > ticketHead+handshake.MaxToken:
		return fmt.Errorf("udp: a ticket of %d bytes: they are not those of Ticket.MarshalBinary", len(b))
	case b[0] != ticketForm || b[1] > 1:
		return errors.New("udp: a ticket of another form: it is not of this version of gannet")
	}
	t.verified, b = b[1] == 1, b[2:]
	for _, key := range []*[32]byte{(*[32]byte)(&t.hostKey), (*[32]byte)(&t.clientKey), (*[32]byte)(&t.psk)} {
		b = b[copy(key[:], b):]
	}
	t.token = append([]byte(nil), b...)
	if !t.usable() {
		return errors.New("udp: a ticket without its keys: what MarshalBinary gave was damaged")
	}
	return nil
}

// usable reports whether a dial can come with t. A token without its psk is none.
func (t *Ticket) usable() bool {
	none := secure.Secret{}
	return len(t.token) > 0 && t.psk != none && t.clientKey != none && t.hostKey != secure.Key{}
}

// Format writes "(secret)" for every verb.
func (Ticket) Format(f fmt.State, _ rune) { fmt.Fprint(f, "(secret)") }

// Ticket gives the newest ticket that the host sent, also after the end of the connection. It reports false before there is one, which a client
// that is connected has as a rule, and at a host.
func (c *Conn) Ticket() (t Ticket, ok bool) {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.plain || c.session.ticket == nil {
		return Ticket{}, false
	}
	return *c.session.ticket, true
}

// keepTicket keeps what the host sent, if it sent one that is of use.
func (c *Conn) keepTicket() {
	psk, token, ok := c.ep.PollTicket()
	if !ok {
		return
	}
	s := c.session
	if t := (&Ticket{hostKey: s.peer.Key, clientKey: c.e.clientKey, psk: psk, verified: s.verified, token: token}); t.usable() {
		s.ticket = t
	}
}

// giveTicket sends a peer a ticket if it has none, or an old one.
func (e *engine) giveTicket(c *Conn) {
	s := c.session
	if e.now < s.ticketAt || c.hidden || c.ended {
		return
	}
	ticket, psk := e.sessions.host.Ticket(e.cfg.UnixTime(), s.peer, s.peerID)
	if c.ep.SendTicket(e.now, psk, ticket) == nil {
		s.ticketAt = e.now + ticketAge
	}
}
