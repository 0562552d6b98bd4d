// Package framing turns the bytes of one datagram into a [Frame] and back, as PROTOCOL.md 1 and 2 lay them down.
//
// # Layouts
//
// A datagram of 1 to MaxDatagram bytes carries one frame. Its first byte is the kind; integers are little-endian; LL is the length
// of the text after it.
//
//	kind           bytes                            size      to host   to client
//	1 Connect      01 | LL LL | version             4..35     yes       direction
//	2 Accept       02 | peer id                     2         direction yes
//	3 Refuse       03 | LL LL | reason              3..1200   direction yes
//	4 Unreliable   04 | payload                     1..1200   yes       yes
//	5 Reliable     05 | SS SS SS SS | payload       5..1200   yes       yes
//	6 Ack          06 | SS SS SS SS                 5         yes       yes
//	7 Heartbeat    07                               1         yes       yes
//	8 Disconnect   08                               1         yes       yes
//	9, 11, 13      reserved                                   kind      kind
//	10, 12, 14, 15 reserved, from host to client              direction kind
//	others                                                    kind      kind
//
// Every frame has exactly one encoding: what [Parse] accepts, the append function of its kind gives back byte for byte.
//
// # Order of checks
//
// Parse makes the checks of PROTOCOL.md 6 that need nothing but the datagram and the role of its receiver, in this order. The first
// one that fails names the [Drop]:
//
//  1. size: empty, oversize
//  2. kind and direction, by the table above
//  3. size of the body: short; for Connect version-empty and version-long; trailing
//  4. text: version-chars for Connect, text for Refuse
//
// What depends on the sender, the session or the sequence is for others to check: whether the peer id of an Accept may be used, for
// example, is not.
//
// # Limits of this package
//
// It knows the base protocol only. It keeps no state, so all functions may be called from any goroutine. Parse panics on no
// input and allocates nothing. The append functions allocate only to grow the slice they are given, and panic if they are asked
// for a frame that Parse would drop, because that is a mistake of the program and not of a peer.
package framing
