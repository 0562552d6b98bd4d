package rpctest

import (
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/wire"
)

// Sample is what one call can have as its arguments, or an answer as its results.
type Sample struct {
	Method int  // its place in Contract.Methods
	Reply  bool // Values are results
	Values any  // a pointer to the struct that netgen wrote for them
}

// of is what a sample's method says of such values.
func (s Sample) of(c *rpc.Contract) *rpc.Values {
	if s.Reply {
		return &c.Methods[s.Method].Results
	}
	return &c.Methods[s.Method].Args
}

// Encodes reports whether the sample can be encoded. Netgen asks it about values that a Validate method may refuse.
func (s Sample) Encodes(c *rpc.Contract) bool {
	var w wire.BitWriter
	s.of(c).Encode(&w, s.Values)
	return w.Err() == nil
}

// values is a sample as a message.
type values struct {
	about  msgs.Descriptor
	idBits int
	of     *rpc.Values
	held   any
	w      wire.BitWriter
	r      wire.BitReader
}

// Fresh makes another message of the same kind.
func (v *values) Fresh() msgs.Message {
	return &values{about: v.about, idBits: v.idBits, of: v.of, held: v.of.New()}
}

func (v *values) Descriptor() msgs.Descriptor { return v.about }

// Fields are in what netgen wrote, or in what a method of a rpc.Draft says.
func (v *values) Fields() any {
	if held, ok := v.held.(interface{ Fields() any }); ok {
		return held.Fields()
	}
	return v.held
}

func (v *values) Append(b []byte) ([]byte, error) {
	v.w = wire.NewBitWriter(b)
	v.w.Bits(uint32(v.about.Entry.ID), v.idBits)
	v.of.Encode(&v.w, v.held)
	if err := v.w.Err(); err != nil {
		return b, msgs.Blame(v.about, v.w.Bytes()[len(b):], v.w.Offset(), err)
	}
	return v.w.Bytes(), nil
}

func (v *values) Parse(b []byte) error {
	v.r = wire.NewBitReader(b)
	if id := v.r.Bits(v.idBits); v.r.Err() == nil && id != uint32(v.about.Entry.ID) {
		return msgs.OtherID(v.about, int(id))
	}
	v.of.Decode(&v.r, v.held)
	left := v.r.Unread()
	if err := v.r.Err(); err != nil {
		return msgs.Blame(v.about, b, v.r.Offset(), err)
	}
	if left > 0 {
		return msgs.Unread(v.about, len(b), left)
	}
	return nil
}
