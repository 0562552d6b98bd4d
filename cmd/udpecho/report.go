package main

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// packetHeaders is what IPv4 and UDP add to each datagram.
const packetHeaders = 28

// messageOnWire is what one copy of a message takes: the headers of the packet and of its kind, and the message itself.
func messageOnWire(mode transport.Delivery, size int) int {
	if mode.Reliable() {
		return packetHeaders + framing.ReliableHeader + size
	}
	return packetHeaders + framing.UnreliableHeader + size
}

// maxSize is the longest message of a mode.
func maxSize(mode transport.Delivery) int {
	if mode.Reliable() {
		return framing.MaxReliable
	}
	return framing.MaxUnreliable
}

// onWire counts bytes with those headers.
func onWire(datagrams, bytes uint64) uint64 { return bytes + packetHeaders*datagrams }

// sentAgain counts the datagrams that carried a message for a second time or more, for whatever reason.
func sentAgain(s udp.Stats) uint64 {
	return s.Repairs + s.RepairCopies + s.Probes + s.EarlyDuplicates
}
