package layout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// refused parses a description whose one message Say has these fields, and returns the error.
func refused(t *testing.T, codec, fields string) error {
	t.Helper()
	ids := map[string]string{"bytes": "", "bits": " hostids 4 clientids 4"}[codec]
	_, err := Parse("catalogue c protocol 1 codec " + codec + ids + "\nmessage 1 Say from client delivery ordered channel 0\n" + fields)
	require.Error(t, err)
	return err
}

func TestAFieldThatNoMessageCanHaveIsNamed(t *testing.T) {
	for _, row := range []struct{ name, codec, fields, says string }{
		{"a name twice", "bytes", "  A bool\n  A bool\n", "field A: another field has the same name"},
		{"a name that is none", "bytes", "  A struct\n    1 bool\n", `field A: field name "1" is not a Go name`},
		{"no name", "bytes", "  - bool\n", `message Say: field name "" is not a Go name`},
		{"a condition on nothing", "bytes", "  A bool if=B\n  B bool\n", `field A: if="B" is not a bool before it`},
		{"a condition on a number", "bytes", "  B uint8\n  A bool if=B\n", `field A: if="B"`},
		{"a condition on itself", "bytes", "  A bool if=A\n", `field A: if="A"`},
		{"a condition in the struct around it", "bytes", "  B bool\n  A struct\n    C bool if=B\n", `field A.C: if="B"`},
		{"a kind of the other codec", "bytes", "  A quat bits=9\n", "field A: quat exists with codec bits only"},
		{"a rest before the end", "bytes", "  A struct\n    B rest\n  C bool\n", "field A.B: rest exists"},
		{"a rest of bits behind a field", "bits", "  A bool\n  B rest\n", "field B: rest exists"},
		{"a rest of bits in a struct", "bits", "  A struct\n    B rest\n", "field A.B: rest exists"},
		{"a rest in a list", "bytes", "  A list max=1\n    - rest\n", "field A[]: rest exists"},
		{"a width too small", "bits", "  A snorm bits=1\n", "field A: bits=1 is not 2 to 32"},
		{"a width too large", "bits", "  A uint bits=33\n", "field A: bits=33 is not 1 to 32"},
		{"a fixed point without bits", "bits", "  A ufixed int=0 frac=0\n", "field A: int=0 and frac=0 are not 1 to 53 bits"},
		{"a fixed point of more than a float has", "bits", "  A vec3 int=32 frac=22\n", "field A: int=32 and frac=22 are not 1 to 53 bits"},
		{"a length too large for its field", "bits", "  A text lenbits=4 max=17\n", "field A: max=17 is more than a length of 4 bits can say"},
		{"a list of nothing", "bytes", "  A list max=1\n", "field A: a list has one field"},
		{"a list of two", "bytes", "  A list max=1\n    - bool\n    - bool\n", "field A: a list has one field"},
		{"a list of what has a name", "bytes", "  A list max=1\n    B bool\n", "field A: a list has one field"},
		{"a list of empty structs", "bytes", "  A list max=1\n    - struct\n", "field A[]: an item that can take no space"},
		{"an array of an enum of one", "bits", "  A array len=9\n    - enum8 values=0\n", "field A[]: an item that can take no space"},
		{"a range that is empty", "bytes", "  A uint8 min=3 max=2\n", "field A: min=3 max=2 is not a range within 0 to 255"},
		{"a range below the kind", "bits", "  A int bits=5 min=-17 max=2\n", "within -16 to 15"},
		{"a range above the kind", "bytes", "  A uint16 min=0 max=65536\n", "within 0 to 65535"},
		{"a range below zero", "bytes", "  A uint64 min=-1 max=5\n", "within 0 to 9223372036854775807"},
		{"an enum above its integer", "bytes", "  A enum8 values=256\n", "do not fit into 8 bits"},
		{"an enum of both signs", "bytes", "  A enum8 values=-1,128\n", "do not fit into 8 bits"},
		{"an enum with a gap in bits", "bits", "  A enum8 values=0,2\n", "the values of an enum are 0, 1, 2"},
		{"an enum from one in bits", "bits", "  A enum8 values=1..2\n", "the values of an enum are 0, 1, 2"},
		{"an enum that descends", "bytes", "  A enum8 values=2,1\n", "are to ascend"},
		{"a field deep inside", "bytes", "  A list max=1\n    - array len=2\n      - struct\n        B text max=0\n", "field A[][].B: max=0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := refused(t, row.codec, row.fields)
			require.ErrorContains(t, err, row.says)
			var where *FieldError
			require.ErrorAs(t, err, &where)
			require.Equal(t, "Say", where.Message)
		})
	}
}

func TestACatalogueThatCannotBeIsRefused(t *testing.T) {
	const plain = " from client delivery ordered channel 0\n"
	bits := func(host, client, messages string) string {
		return "catalogue c protocol 1 codec bits hostids " + host + " clientids " + client + "\n" + messages
	}
	for _, row := range []struct{ name, text, says string }{
		{"a name of two words", "catalogue a.b protocol 1 codec bytes\n", `name "a.b" is not a Go name`},
		{"a protocol that hides something", "catalogue a protocol 1\u200b codec bytes\n", "not 1 to 64 bytes of printable text"},
		{"a long protocol", "catalogue a protocol " + strings.Repeat("x", 65) + " codec bytes\n", "not 1 to 64 bytes of printable text"},
		{"a state twice", head + "states a a\n", `state "a" is there twice`},
		{"65 states", head + "states" + strings.Repeat(" a", 65) + "\n", "65 states, more than 64"},
		{"negative ids", bits("-1", "4", ""), "hostids -1 or clientids 4 is not 0 to 65536"},
		{"an id for a byte", head + "message 256 A" + plain, "message A: id 256 does not fit into a byte"},
		{"an id twice", head + "message 1 A" + plain + "message 1 B from host delivery ordered channel 0\n", "message B: message A has the same id 1"},
		{"a name twice", head + "message 1 A" + plain + "message 2 A" + plain, "message A: another message has the same name"},
		{"ids that descend", head + "message 2 A" + plain + "message 1 B" + plain, "message B: it is to stand before message A"},
		{"a channel that no transport has", head + "message 1 A from host delivery ordered channel 64\n", "channel 64 is not 0 to 63"},
		{"an id above the client's", bits("9", "4", "message 4 A"+plain), "id 4 is not below clientids 4"},
		{"an id above the host's", bits("4", "9", "message 4 A from host delivery ordered channel 0\n"), "id 4 is not below hostids 4"},
		{"the host first", bits("4", "4", "message 1 A from host delivery ordered channel 0\nmessage 1 B"+plain), "message B: it is to stand before"},
		{"both where ids differ in width", bits("4", "5", "message 1 A from both delivery ordered channel 0\n"), "ids of the host have 2 bits and those of clients 3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse(row.text)
			require.ErrorContains(t, err, row.says)
		})
	}
}

func TestHostAndClientCountTheirIDsApartInBits(t *testing.T) {
	c := parsed(t, arena)
	require.Equal(t, c.Messages[0].ID, c.Messages[1].ID)
}

func TestWhatTheTextCannotSayIsRefused(t *testing.T) {
	for name, f := range map[string]Field{
		"a width of a bool":      {Name: "A", Kind: KindBool, Bits: 1},
		"a range of a text":      {Name: "A", Kind: KindText, Len: 1, Ranged: true},
		"bounds without a range": {Name: "A", Kind: KindU8, Max: 1},
		"values of a number":     {Name: "A", Kind: KindU8, Values: []int64{1}},
		"fields of a number":     {Name: "A", Kind: KindU8, Fields: []Field{{Kind: KindBool}}},
	} {
		c := &Catalogue{Name: "c", Protocol: "1", Messages: []Message{{Name: "Say", From: Host, Fields: []Field{f}}}}
		require.ErrorContains(t, c.Check(), "message Say, field A: it has an attribute", name)
	}
	c := &Catalogue{Name: "c", Protocol: "1", Messages: []Message{{Name: "Say", From: Host, States: 1}}}
	require.ErrorContains(t, c.Check(), "states that the catalogue does not have")
	c.Messages[0] = Message{Name: "Say", From: Host, Fields: []Field{{Name: "A", Kind: 200}}}
	require.ErrorContains(t, c.Check(), "unknown kind")
}
