package main

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// packetHeaders is what IPv4 and UDP add to each datagram.
const packetHeaders = 28

// packetHeader is what the secure protocol is taken to add to a message, whatever its mode.
const packetHeader = 30

// fragmentRoom is what a packet takes of a message in fragments.
const fragmentRoom = 1142

// messageOnWire is what one copy of a message takes: the headers of the packet and of its kind, and the message itself.
func messageOnWire(p udp.Protocol, mode transport.Delivery, size int) int {
	switch {
	case p == udp.Secure:
		return packetHeaders + packetHeader + size
	case mode.Reliable():
		return packetHeaders + framing.ReliableHeader + size
	}
	return packetHeaders + framing.UnreliableHeader + size
}

// maxSize is the longest message of a mode.
func maxSize(p udp.Protocol, mode transport.Delivery) int {
	switch {
	case p == udp.Secure && mode.Reliable():
		return reliable.MaxReliableMessage
	case p == udp.Secure:
		return reliable.MaxLossyMessage
	case mode.Reliable():
		return framing.MaxReliable
	}
	return framing.MaxUnreliable
}

// protocol is what -base chooses.
func protocol(base bool) udp.Protocol {
	if base {
		return udp.Base
	}
	return udp.Secure
}

// onWire counts bytes with those headers.
func onWire(datagrams, bytes uint64) uint64 { return bytes + packetHeaders*datagrams }

// sentAgain counts the datagrams that carried a message for a second time or more, for whatever reason.
func sentAgain(s udp.Stats) uint64 {
	return s.Repairs + s.RepairCopies + s.Probes + s.EarlyDuplicates
}
