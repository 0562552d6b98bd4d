package framing

import (
	"fmt"
	"iter"
	"strings"
)

// Drop is why a datagram was not handled. Every received datagram ends in exactly one: Accepted if it was handled, else the
// first check that it failed, PROTOCOL.md 6 and 21.
type Drop uint8

// The ways a datagram can end, in the order of PROTOCOL.md 7 and then 21.
const (
	Accepted Drop = iota // not dropped

	DropEmpty        // no bytes
	DropOversize     // more than MaxDatagram bytes
	DropKind         // a kind that the base protocol does not have
	DropDirection    // a kind that the receiver's role only sends
	DropShort        // ends before its fields do
	DropTrailing     // goes on after its fields
	DropVersionEmpty // Connect with a version of 0 bytes
	DropVersionLong  // Connect with a version above MaxVersion bytes
	DropVersionChars // Connect with a version that is not printable ASCII without spaces
	DropText         // Refuse with a reason that is not UTF-8

	DropNoPeer     // from an address without a session
	DropPolicy     // Connect from an address that the host's policy excludes
	DropRate       // above the rate of its address or session
	DropEarly      // before the Accept
	DropLateAccept // Accept for a client that is past Connecting
	DropLateRefuse // Refuse for a client that is past Connecting
	DropBadID      // Accept with a peer id of 0 or above MaxPeerID
	DropClosed     // for a session that is over or about to be

	DropDuplicate   // Reliable that was received before
	DropWindow      // Reliable too far ahead of the next to be delivered
	DropWindowBytes // Reliable for which there is no room out of order
	DropUnread      // message that the application had no room for, or that made room for a newer one
	DropAckUnsent   // Ack of a sequence that was never sent
	DropAckAgain    // Ack of a sequence that was acknowledged before
	DropProtocol    // packet that breaks the rules of the packet wire

	DropSize         // Hello or Auth of a size that it cannot have
	DropVersion      // Hello or Auth of another version of the secure protocol
	DropPadding      // Hello with something else than zeros behind its fields
	DropTokenSize    // token too long, too short, or cut off
	DropCookieOld    // cookie that was made too long ago
	DropCookie       // cookie that this host did not make for this address and client
	DropTokenMissing // Auth without a token at a host that takes none without
	DropTokenKey     // token under a key that the host does not have
	DropTokenExpired // token whose time is over
	DropTokenAuth    // token that its key does not open
	DropTokenHost    // token for another host
	DropNoise        // message 1 or 2 that the exchange does not take
	DropPayload      // message 1 or 2 with a payload that breaks its layout
	DropTokenClient  // token of a client with another static key
	DropTokenUsed    // token that another client key came with before
	DropTokenFull    // token that the host has no room to remember
	DropFull         // Auth for which there is no peer id
	DropEcho         // answer to a Hello that this client did not send
	DropHostKey      // Challenge with another key than that of the host that was dialled
	DropEpoch        // Sealed under a key that is not in use
	DropAuth         // Sealed or Reset that was not made by the peer

	DropPlainOnSecure // kind of the base protocol from the address of a secure session
)

// NumDrops is the number of values of Drop, Accepted among them.
const NumDrops = int(DropPlainOnSecure) + 1

var dropNames = [NumDrops]string{
	Accepted:         "accepted",
	DropEmpty:        "empty",
	DropOversize:     "oversize",
	DropKind:         "kind",
	DropDirection:    "direction",
	DropShort:        "short",
	DropTrailing:     "trailing",
	DropVersionEmpty: "version-empty",
	DropVersionLong:  "version-long",
	DropVersionChars: "version-chars",
	DropText:         "text",
	DropNoPeer:       "no-peer",
	DropPolicy:       "policy",
	DropRate:         "rate",
	DropEarly:        "early",
	DropLateAccept:   "late-accept",
	DropLateRefuse:   "late-refuse",
	DropBadID:        "bad-id",
	DropClosed:       "closed",
	DropDuplicate:    "duplicate",
	DropWindow:       "window",
	DropWindowBytes:  "window-bytes",
	DropUnread:       "unread",
	DropAckUnsent:    "ack-unsent",
	DropAckAgain:     "ack-again",
	DropProtocol:     "protocol",
	DropSize:         "size",
	DropVersion:      "version",
	DropPadding:      "padding",
	DropTokenSize:    "token-size",
	DropCookieOld:    "cookie-old",
	DropCookie:       "cookie",
	DropTokenMissing: "token-missing",
	DropTokenKey:     "token-key",
	DropTokenExpired: "token-expired",
	DropTokenAuth:    "token-auth",
	DropTokenHost:    "token-host",
	DropNoise:        "noise",
	DropPayload:      "payload",
	DropTokenClient:  "token-client",
	DropTokenUsed:    "token-used",
	DropTokenFull:    "token-full",
	DropFull:         "full",
	DropEcho:         "echo",
	DropHostKey:      "host-key",
	DropEpoch:        "epoch",
	DropAuth:         "auth",

	DropPlainOnSecure: "plain-on-secure",
}

// String gives the name of d as PROTOCOL.md 7 or 21 has it, "accepted" for Accepted.
func (d Drop) String() string {
	if int(d) < NumDrops {
		return dropNames[d]
	}
	return fmt.Sprintf("Drop(%d)", uint8(d))
}

// Drops counts the datagrams that ended in each Drop but Accepted. The zero value is ready. It is a plain array: copy it to
// keep a snapshot, and let one goroutine at a time use it.
type Drops [NumDrops]uint64

// Count adds one datagram that ended in drop. Accepted ones are not counted.
func (d *Drops) Count(drop Drop) {
	if drop != Accepted {
		d[drop]++
	}
}

// Total returns how many datagrams were dropped.
func (d *Drops) Total() uint64 {
	var sum uint64
	for _, n := range d {
		sum += n
	}
	return sum
}

// All yields each reason that was counted at least once, with its count, in the order of the constants.
func (d *Drops) All() iter.Seq2[Drop, uint64] {
	return func(yield func(Drop, uint64) bool) {
		for drop, n := range d {
			if n > 0 && !yield(Drop(drop), n) {
				return
			}
		}
	}
}

// String gives the counts as "empty=3 kind=1", and "none" if nothing was dropped.
func (d Drops) String() string {
	var s strings.Builder
	for drop, n := range d.All() {
		if s.Len() > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%v=%d", drop, n)
	}
	if s.Len() == 0 {
		return "none"
	}
	return s.String()
}
