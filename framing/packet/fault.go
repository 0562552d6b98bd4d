package packet

import "fmt"

// Fault is the rule that a packet breaks. A packet with a fault is a protocol error as a whole, PROTOCOL.md 10.
type Fault uint8

// The faults, in the order in which they are looked for: first those of the packet, then those of one frame after the other.
const (
	Valid Fault = iota // no fault

	FaultEmpty    // a packet of no bytes
	FaultOversize // a packet above MaxPacket bytes
	FaultFrames   // more than MaxFrames frames

	FaultKind        // a kind that packets do not have
	FaultFlags       // a bit is set that means nothing there
	FaultShort       // the packet ends before the frame's fields do
	FaultVarint      // a varint that is longer than it has to be, or than it may be
	FaultLast        // a length in the last frame
	FaultExt         // EXT for a plain message of channel 0
	FaultMode        // a mode that does not exist
	FaultChannel     // CHANNEL with channel 0, or one above MaxChannel
	FaultFollows     // FOLLOWS after no Reliable, or together with a channel or mode
	FaultUnfollowed  // no FOLLOWS where the sequence follows
	FaultFragment    // a fragment that no message can have, or that does not fit the one before
	FaultMessageSize // a fragment of a message above MaxLossy
	FaultRanges      // no runs, or more than MaxRuns
	FaultTextLong    // a text above MaxText bytes
	FaultText        // a text that is not UTF-8
	FaultTicket      // a ticket of no bytes, or above MaxTicket
	FaultXor         // an Xor that no messages can have, one before a Reliable, or more than MaxXors
	FaultParity      // a Parity that no message can have
)

// NumFaults is the number of values of Fault, Valid among them.
const NumFaults = int(FaultParity) + 1

var faultNames = [NumFaults]string{
	Valid:            "valid",
	FaultEmpty:       "empty",
	FaultOversize:    "oversize",
	FaultFrames:      "frames",
	FaultKind:        "kind",
	FaultFlags:       "flags",
	FaultShort:       "short",
	FaultVarint:      "varint",
	FaultLast:        "last",
	FaultExt:         "ext",
	FaultMode:        "mode",
	FaultChannel:     "channel",
	FaultFollows:     "follows",
	FaultUnfollowed:  "unfollowed",
	FaultFragment:    "fragment",
	FaultMessageSize: "message-size",
	FaultRanges:      "ranges",
	FaultTextLong:    "text-long",
	FaultText:        "text",
	FaultTicket:      "ticket",
	FaultXor:         "xor",
	FaultParity:      "parity",
}

// String gives the name of f, "valid" for Valid.
func (f Fault) String() string {
	if int(f) < NumFaults {
		return faultNames[f]
	}
	return fmt.Sprintf("Fault(%d)", uint8(f))
}
