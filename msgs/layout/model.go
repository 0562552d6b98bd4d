package layout

import (
	"github.com/gannet-net/gannet/transport"
)

// Codec is how the values of a catalogue become bytes (MESSAGES.md 1).
type Codec uint8

const (
	Bytes Codec = iota // byte-aligned, little-endian
	Bits               // bit-packed, least significant bit first
)

// Side is one end of a session, or a set of both.
type Side uint8

const (
	Client Side            = 1 << iota // dials
	Host                               // is dialled
	Both   = Client | Host             // in Message.From: either may send it
)

// Catalogue describes all messages of one catalogue.
type Catalogue struct {
	Name      string // the name of its package
	Protocol  string // names the version of the catalogue
	Codec     Codec
	HostIDs   int      // codec Bits: how many ids the host has, which gives the width of an id
	ClientIDs int      // likewise for clients
	States    []string // at most 64
	Messages  []Message
	Methods   []Method // what the two sides can call; those that clients run first, each by id
}

// Message describes one message, as far as both sides have to agree on it. What only its sender does, such as to withdraw it after a time, is no part of that.
type Message struct {
	ID       uint16 // at most 255 with codec Bytes
	Name     string
	From     Side // who may send it
	Delivery transport.Delivery
	Channel  uint8
	States   uint64 // bit i: may be sent and taken in Catalogue.States[i]; 0 is any state
	Fields   []Field
}

// Field describes one value of a message, or of a struct or list in it.
type Field struct {
	Name string // "" for the item of a list or array
	Kind Kind
	If   string // the bool field before it in the same struct that says whether it is there; "" if it always is

	Bits     int // of a value whose kind leaves its width open, in bits; of the length field of a Text of codec Bits
	YawBits  int // KindYawQuat: of its angle
	Int      int // KindFixed, KindUFixed: bits before the point
	Fraction int // and behind it
	Len      int // most bytes of a Text or Blob, most items of a List, items of an Array

	Ranged   bool // Min and Max bound an integer
	Min, Max int64

	Values []int64 // KindEnum: the declared values, ascending
	Fields []Field // the fields of a Struct; the one item of a List or Array
}

// Kind is a form that a value has on the wire. A row of the tables in MESSAGES.md 1 each.
type Kind uint8

const (
	KindBool   Kind = iota + 1 // bool
	KindU8                     // uint8
	KindU16                    // uint16
	KindU32                    // uint32
	KindU64                    // uint64
	KindI8                     // int8
	KindI16                    // int16
	KindI32                    // int32
	KindI64                    // int64
	KindF32                    // float32
	KindF64                    // float64
	KindEnum8                  // the underlying integer's size counts with codec Bytes only
	KindEnum16                 // over uint16 or int16
	KindEnum32                 // over uint32 or int32
	KindEnum64                 // over uint64 or int64
	KindText                   // string
	KindBlob                   // []byte
	KindRest                   // all that is left
	KindList                   // []T
	KindArray                  // [N]T
	KindStruct                 // its fields

	// The rest exists with codec Bits only.
	KindUint      // an unsigned integer of Bits
	KindInt       // a signed one
	KindUFixed    // a float from 0 up, in steps
	KindFixed     // a float, in steps
	KindUnorm     // 0 to 1
	KindSnorm     // -1 to 1
	KindDegrees   // a turn of 360
	KindRadians   // a turn of 2 pi
	KindVec3Fixed // three of KindFixed
	KindUnit      // a vector of length 1
	KindQuat      // a rotation
	KindYawQuat   // a rotation that is mostly about Y
	KindYawUnit   // a vector of length 1 without Y
	KindYawVec    // a vector without Y
	KindRGB       // a colour
	KindRGBA      // a colour and its opacity
	KindGUID      // 16 bytes
)
