// Package handshake holds the bytes of the datagrams that the secure protocol has beside the base protocol, kinds 9 to 15, as
// PROTOCOL.md 17 lays them down.
//
// # Layouts
//
// Integers are little-endian; CC is the id that the client drew, HH that of the host, II that of whoever receives.
//
//	kind             bytes                                                                           size      to host   to client
//	9  Hello         09 | 08 00 "GANNET-1" | CC CC CC CC | random * 8 | 00 to the end                1200      yes       direction
//	10 Challenge     0A | CC CC CC CC | random * 8 | cookie * 20 | host key * 32                     65        direction yes
//	11 Auth          0B | 08 00 "GANNET-1" | CC CC CC CC | random * 8 | cookie * 20 | LL LL | token | message 1
//	                                                                                                 512..1200 yes       direction
//	12 SecureAccept  0C | CC CC CC CC | message 2 * 83                                               88        direction yes
//	13 Sealed        0D | II II II II | WW WW WW WW | ciphertext | tag * 16                          26..1200  yes       yes
//	14 Reset         0E | HH HH HH HH | token * 16                                                   21        direction yes
//	15 SecureRefuse  0F | CC CC CC CC | random * 8 | code                                            14        direction yes
//	others                                                                                                     kind      kind
//
// Every datagram has exactly one encoding: what a parse function accepts, the append function of its kind gives back byte for byte.
//
// # Order of checks
//
// [Head] makes the checks of the first byte, the parse function of the kind those that need nothing but the datagram, in the order of
// PROTOCOL.md 21. What depends on keys, on the sender or on the session is for others to check.
//
// # Limits of this package
//
// It knows no cryptography, and keeps no state, so all functions may be called from any goroutine. The parse functions panic on no input and
// allocate nothing; what they return are parts of the datagram, valid as long as it is. The append functions allocate only to grow the
// slice that they are given, and panic if they are asked for what the parse functions would drop.
package handshake
