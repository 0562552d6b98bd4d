package soak

import (
	"fmt"
	"strings"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/secure"
)

// opener opens what is sealed, with the key log of everybody, to count the frames inside.
type opener struct {
	keys   map[uint32]*secure.Unsealer // by the ids of sessions at both ends
	buf    []byte
	parser packet.Parser
}

func newOpener() *opener {
	return &opener{keys: map[uint32]*secure.Unsealer{}, buf: make([]byte, 0, framing.MaxDatagram)}
}

// Write takes a line of a key log.
func (o *opener) Write(line []byte) (int, error) {
	u := must(secure.NewUnsealer(string(line)))
	var client, host uint32
	fields := strings.Fields(string(line))
	must(fmt.Sscanf(fields[1], "%x", &client))
	must(fmt.Sscanf(fields[2], "%x", &host))
	if o.keys[host] == nil {
		o.keys[client], o.keys[host] = u, u
	}
	return len(line), nil
}

// count counts the frames of a sealed datagram, and reports false if it is of no session.
func (o *opener) count(c *Census, d []byte) bool {
	head, _ := handshake.ParseSealed(d)
	u := o.keys[head.ID]
	if u == nil {
		return false
	}
	opened, err := u.Open(o.buf[:0], d)
	if err != nil {
		return false
	}
	o.parser.Reset(opened.Packet)
	for f := (packet.Frame{}); o.parser.Next(&f); {
		c.Inner[f.Kind&31]++
	}
	return true
}
