// Package packet turns the inside of a sealed datagram, a run of frames, into [Frame] values and back, as PROTOCOL.md 10 to 14 and 23
// lay it down.
//
// # Layouts
//
// A packet of 1 to MaxPacket bytes is 1 to MaxFrames frames, one after the other. The low five bits of a frame's first byte are its
// kind, the others flags; integers are little-endian; what stands in brackets is there only under the condition behind it.
//
//	kind              bytes
//	4  Unreliable     04 | [ext: EXT] [SS SS: SEQUENCED] [II II XX XX NN NN: FRAGMENT] [length: LEN] | payload
//	5  Reliable       05 | how [channel: CHANNEL] [SS SS: not FOLLOWS] [length: LEN] | payload
//	6  Ack            06 | LL LL delay [bitmap of 4 or 8, or runs: by form]
//	7  Heartbeat      07
//	8  Disconnect     08 | CC CC [length: LEN] | text
//	16 Credit         10 | [stream, SS SS: not ALL] BB BB BB BB
//	17 Clock          11 | TT TT TT TT TT TT TT TT
//	18 Xor            12 | stream SS SS lengths [length: LEN] | parity
//	24 PathChallenge  18 | random of 8
//	25 PathResponse   19 | random of 8
//	26 Ticket         1A | psk of 32 [length: LEN] | ticket
//
// A length is there unless the frame is the last of its packet: then its last field goes to the end.
//
// Every packet has exactly one encoding: what a [Parser] accepts, the append methods of a [Builder] give back byte for byte from the
// same frames.
//
// # Order of checks
//
// A packet is valid or not as a whole, so [Check] it before any frame takes effect, or let the Parser go to its end. The checks are
// made in this order; the first that fails names the [Fault]:
//
//  1. size of the packet: empty, oversize
//  2. then for each frame: number of frames, kind, flags of the first byte
//  3. its fields: short, and then what is wrong with their values; lengths and what they count as they are met
//
// What depends on other packets is for others to check: which packets an Ack may name, whether fragments of a message agree,
// what the credit allows, and whether a limit went back.
//
// # Limits of this package
//
// It keeps no state but that of the packet that is parsed or built, so functions may be called from any goroutine, and a Parser or
// Builder belongs to one at a time. A Parser panics on no input, and neither allocates nor loops by what it claims. A Builder
// allocates only to grow the slice it is given.
package packet
