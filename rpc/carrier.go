package rpc

import (
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// Carrier is the two raw messages that calls travel in: one that the host sends, and one that clients send. Behind its id such a message has nothing but what
// CALLS.md 2.2 says. Both have to be in Mount.AnyMode of their catalogue, at both sides.
type Carrier struct {
	Host, Client msgs.Descriptor
}

// Catalogue has the messages of the Carrier that is used where Config names no other. Their ids take no bits.
var Catalogue = msgs.Catalogue{
	Name: "rpc", Protocol: "CALLS-1", Codec: layout.Bits, HostIDs: 1, ClientIDs: 1,
	Fingerprint: 0xea236dbc7f3ed4b6, Description: description,
	Entries: []msgs.Entry{
		{Name: "ClientCall", From: msgs.Client, Delivery: transport.ReliableOrdered, MaxSize: layout.Unlimited},
		{Name: "HostCall", From: msgs.Host, Delivery: transport.ReliableOrdered, MaxSize: layout.Unlimited},
	},
}

const description = `catalogue rpc protocol CALLS-1 codec bits hostids 1 clientids 1
message 0 ClientCall from client delivery ordered channel 0
  Body rest
message 0 HostCall from host delivery ordered channel 0
  Body rest
`

var ownCarrier = Carrier{
	Client: msgs.Descriptor{Catalogue: &Catalogue, Entry: &Catalogue.Entries[0]},
	Host:   msgs.Descriptor{Catalogue: &Catalogue, Entry: &Catalogue.Entries[1]},
}

// Mount puts Catalogue on a channel and as many after it as methods use: 0 if all have channel 0.
func Mount(channel, spare uint8) msgs.Mount {
	return msgs.Mount{Catalogue: &Catalogue, Channel: channel, AnyMode: []msgs.Descriptor{ownCarrier.Host, ownCarrier.Client}, Spare: spare}
}

// of returns the message that side sends.
func (c Carrier) of(side msgs.Side) msgs.Descriptor {
	if side == msgs.Host {
		return c.Host
	}
	return c.Client
}
