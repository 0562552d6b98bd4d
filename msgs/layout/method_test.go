package layout

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// doors is a description with all that methods have.
const doors = `catalogue doors protocol DOORS-1 codec bits hostids 2 clientids 0
states lobby playing
message 1 Say from host delivery ordered channel 0
  Text text lenbits=11 max=20
call 0 LevelClient.Number at client target static from any delivery ordered channel 0
  Number uint8
call 3 DoorClient.Swung at client target instance from any delivery unreliable,sequenced,ordered channel 15 states playing
call 0 DoorServer.Toggle at host target instance from owner delivery ordered channel 0
  Want enum8 values=0..2
  At vec3 int=13 frac=9
call 2 DoorServer.Price at host target instance from any delivery unordered channel 2 states lobby,playing reply yes
  Item struct
    Kind uint bits=4
    Names list max=3
      - text lenbits=4 max=16
  Sure bool
  Why text lenbits=5 max=32 if=Sure
reply
  Result uint32
  Notes list max=7
    - uint8
call 65535 DoorServer.Save at host target static from any delivery reliable-sequenced channel 0 reply yes
reply
`

func TestADescriptionSaysWhatItsMethodsAre(t *testing.T) {
	c := parsed(t, doors)
	require.Equal(t, doors, c.String())
	require.Equal(t, c, parsed(t, c.String()))
	require.Len(t, c.Methods, 5)
	require.Equal(t, Method{
		ID: 3, Name: "DoorClient.Swung", At: Client, Instance: true, Channel: 15, States: 0b10,
		Deliveries: []transport.Delivery{transport.Unreliable, transport.Sequenced, transport.ReliableOrdered},
	}, c.Methods[1])
	require.Equal(t, Method{
		ID: 0, Name: "DoorServer.Toggle", At: Host, Instance: true, Owner: true, Deliveries: []transport.Delivery{transport.ReliableOrdered},
		Fields: []Field{{Name: "Want", Kind: KindEnum8, Values: []int64{0, 1, 2}}, {Name: "At", Kind: KindVec3Fixed, Int: 13, Fraction: 9}},
	}, c.Methods[2])
	require.Equal(t, []Field{{Name: "Result", Kind: KindU32}, {Name: "Notes", Kind: KindList, Len: 7, Fields: []Field{{Kind: KindU8}}}}, c.Methods[3].Results)
	require.True(t, c.Methods[4].Reply)
	require.Empty(t, c.Methods[4].Results)
}

func TestMethodsThatCannotBeAreRefused(t *testing.T) {
	const top = "catalogue c protocol 1 codec bits hostids 0 clientids 0\nstates lobby\n"
	const rest = " target static from any delivery ordered channel 0\n"
	for _, row := range []struct{ name, text, says string }{
		{"too few words", top + "call 1\n", "line 3: is not the line of a method"},
		{"an id that is none", top + "call x A.B at host" + rest, `line 3: "x": invalid syntax`},
		{"an id that is too large", top + "call 65536 A.B at host" + rest, `line 3: "65536": value out of range`},
		{"an id of another spelling", top + "call 01 A.B at host" + rest, "line 3: is"},
		{"both sides", top + "call 1 A.B at both" + rest, `"at both": unknown word`},
		{"an unknown target", top + "call 1 A.B at host target all from any delivery ordered channel 0\n", `"target all": unknown word`},
		{"an unknown caller", top + "call 1 A.B at host target static from all delivery ordered channel 0\n", `"from all": unknown word`},
		{"an unknown delivery", top + "call 1 A.B at host target static from any delivery ordered,pigeon channel 0\n", `"delivery ordered,pigeon": unknown word`},
		{"many deliveries", top + "call 1 A.B at host target static from any delivery " + strings.Repeat("ordered,", 20) + "ordered channel 0\n", "unknown word"},
		{"a delivery twice", top + "call 1 A.B at host target static from any delivery ordered,ordered channel 0\n", "A.B: it has a delivery twice"},
		{"no delivery", top + "call 1 A.B at host target static from any channel 0\n", "A.B: it has no delivery"},
		{"a channel above 15", top + "call 1 A.B at host target static from any delivery ordered channel 16\n", "A.B: channel 16 is not 0 to 15"},
		{"a channel above all", top + "call 1 A.B at host target static from any delivery ordered channel 256\n", "value out of range"},
		{"a state that is not there", top + "call 1 A.B at host target static from any delivery ordered channel 0 states idle\n", `"idle" is none of the states`},
		{"a reply of another word", top + "call 1 A.B at host target static from any delivery ordered channel 0 reply maybe\n", `"reply maybe": unknown word`},
		{"a reply that says no", top + "call 1 A.B at host target static from any delivery ordered channel 0 reply no\n", "line 3: is"},
		{"an unknown word", top + "call 1 A.B at host speed 3\n", `"speed 3": unknown word`},
		{"no line of results", top + "call 1 A.B at host target static from any delivery ordered channel 0 reply yes\n", "is not the line of the results"},
		{"results of nothing", top + "call 1 A.B at host" + rest + "reply\n", "line 4: is not the line of a method"},
		{"words in another order", top + "call 1 A.B target static at host from any delivery ordered channel 0\n", "line 3: is"},
		{"a name without interface", top + "call 1 Toggle at host" + rest, `name "Toggle" is not Interface.Method`},
		{"a name of three", top + "call 1 A.B.C at host" + rest, `name "A.B.C" is not Interface.Method`},
		{"a name that is none", top + "call 1 A.1 at host" + rest, `name "A.1" is not Interface.Method`},
		{"a name that is too long", top + "call 1 A." + strings.Repeat("x", 65) + " at host" + rest, "is not Interface.Method"},
		{"an owner of a static method", top + "call 1 A.B at host target static from owner delivery ordered channel 0\n", "A.B: only an object that the server has has an owner"},
		{"an owner at clients", top + "call 1 A.B at client target instance from owner delivery ordered channel 0\n", "A.B: only an object that the server has has an owner"},
		{"an id twice", top + "call 1 A.B at host" + rest + "call 1 A.C at host" + rest, "A.C: it cannot stand after A.B"},
		{"ids that descend", top + "call 1 A.B at host" + rest + "call 0 A.C at host" + rest, "A.C: it cannot stand after A.B"},
		{"the server's first", top + "call 1 A.B at host" + rest + "call 2 A.C at client" + rest, "A.C: it cannot stand after A.B"},
		{"a name twice", top + "call 1 A.B at host" + rest + "call 2 A.B at host" + rest, "A.B: another method has the same name"},
		{"a name on both sides", top + "call 1 A.B at client" + rest + "call 2 A.B at host" + rest, "A.B: another method has the same name"},
		{"an argument that cannot be", top + "call 1 A.B at host" + rest + "  C uint bits=33\n", "A.B, argument C: bits=33 is not 1 to 32"},
		{"a rest", top + "call 1 A.B at host" + rest + "  C rest\n", "A.B, argument C: rest exists"},
		{"a result that cannot be", top + "call 1 A.B at host target static from any delivery ordered channel 0 reply yes\nreply\n  C bool if=D\n", `A.B, argument C: if="D"`},
		{"codec bytes", head + "call 1 A.B at host" + rest, "calls exist with codec bits only"},
		{"a message behind methods", top + "call 1 A.B at host" + rest + "message 0 M from host delivery ordered channel 0\n", `line 4: "from host": unknown word`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := Parse(row.text)
			require.ErrorContains(t, err, row.says)
			require.Nil(t, c)
		})
	}
	c := &Catalogue{Name: "c", Protocol: "1", Codec: Bits, Methods: []Method{{Name: "A.B", At: Host, Deliveries: []transport.Delivery{transport.ReliableOrdered}, Results: []Field{{Name: "R", Kind: KindBool}}}}}
	require.ErrorContains(t, c.Check(), "it has results, but no reply")
	c.Methods[0].Results, c.Methods[0].States = nil, 1
	require.ErrorContains(t, c.Check(), "states that the catalogue does not have")
	c.Methods[0].States, c.Methods[0].At = 0, Both
	require.ErrorContains(t, c.Check(), "nobody runs it")
}

func TestADifferenceOfMethodsIsToldInASentence(t *testing.T) {
	for _, row := range []struct {
		old, new string
		says     []string
	}{
		{"call 3 DoorClient", "call 4 DoorClient", []string{"method DoorClient.Swung (id 3): id 3 here, id 4 there"}},
		{"instance from owner", "instance from any", []string{"method DoorServer.Toggle (id 0): runs at host, target instance, from owner here, runs at host, target instance, from any there"}},
		{"target static from any delivery reliable", "target instance from any delivery reliable",
			[]string{"method DoorServer.Save (id 65535): runs at host, target static, from any here, runs at host, target instance, from any there"}},
		{"unreliable,sequenced,ordered", "unreliable,ordered,sequenced",
			[]string{"method DoorClient.Swung (id 3): delivery unreliable,sequenced,ordered here, delivery unreliable,ordered,sequenced there"}},
		{"channel 15", "channel 14", []string{"method DoorClient.Swung (id 3): channel 15 here, channel 14 there"}},
		{"15 states playing", "15", []string{"method DoorClient.Swung (id 3): allowed in states playing here, allowed in any state there"}},
		{"channel 0 reply yes\nreply\n", "channel 0\n", []string{"method DoorServer.Save (id 65535): is answered here, is not answered there"}},
		{"LevelClient.Number", "LevelClient.Digit", []string{
			"method LevelClient.Number (id 0): runs at client, target static, from any here, missing there",
			"method LevelClient.Digit (id 0): missing here, runs at client, target static, from any there"}},
		{"  Number uint8", "  Number uint16", []string{"method LevelClient.Number (id 0), argument Number: uint8 here, uint16 there"}},
		{"max=16", "max=15", []string{"method DoorServer.Price (id 2), argument Item.Names[]: text lenbits=4 max=16 here, text lenbits=4 max=15 there"}},
		{"  Result uint32\n", "", []string{"method DoorServer.Price (id 2), result Result: uint32 here, missing there"}},
		{"  Notes list max=7", "  Notes list max=8", []string{"method DoorServer.Price (id 2), result Notes: list max=7 here, list max=8 there"}},
	} {
		t.Run(row.new, func(t *testing.T) { require.Equal(t, row.says, sentences(t, doors, row.old, row.new)) })
	}
	require.Empty(t, Compare(parsed(t, doors), parsed(t, doors)))
}

func TestSizesOfCallsAreInBits(t *testing.T) {
	c := parsed(t, doors)
	for i, want := range [][4]int{{8, 8, 0, 0}, {}, {2 + 3*22, 2 + 3*22, 0, 0}, {4 + 2 + 1, 4 + 2 + 3*(1+4+7+128) + 1 + 1 + 5 + 7 + 256, 32 + 3, 32 + 3 + 7*8}, {}} {
		m := &c.Methods[i]
		least, most := c.CallSizes(m.Fields)
		fewest, longest := c.CallSizes(m.Results)
		require.Equal(t, want, [4]int{least, most, fewest, longest}, m.Name)
	}
}

// price is a call of DoorServer.Price whose arguments begin at a bit.
func price(start int) []byte {
	w := wire.NewBitWriter(nil)
	for range start {
		w.Bool(true)
	}
	w.Uint(9, 4)
	w.Count(2, 3)
	w.Text("oak", 16, 4)
	w.Text("", 16, 4)
	w.Bool(true)
	w.Text("ah", 32, 5)
	return w.Bytes()
}

func TestAWalkOverACallBeginsBehindItsHead(t *testing.T) {
	c := parsed(t, doors)
	m := &c.Methods[3]
	for start := range 100 {
		var steps []string
		require.NoError(t, c.WalkCall(m, m.Fields, price(start), start, func(s Step) bool {
			steps = append(steps, s.Path()+" "+s.String())
			return true
		}))
		require.Equal(t, []string{"Item.Kind 9", "Item.Names 2", `Item.Names[0] "oak"`, `Item.Names[1] ""`, "Sure true", `Why "ah"`}, steps)
	}
	require.NoError(t, c.WalkCall(m, m.Fields, price(3), 3, nil))
	require.NoError(t, c.WalkCall(&c.Methods[4], nil, nil, 0, nil), "nothing is all that it has")

	var where *FieldError
	require.ErrorAs(t, c.WalkCall(m, m.Fields, price(3)[:2], 3, nil), &where)
	require.Equal(t, []string{"DoorServer.Price", "Item.Names[0]"}, []string{where.Message, where.Field})
	require.ErrorIs(t, c.WalkCall(m, m.Fields, append(price(3), 0), 3, nil), ErrUnread)
	require.Error(t, c.WalkCall(m, m.Fields, price(3), 1000, nil), "its head is not there")
}

func TestAnArgumentThatCannotBeEncodedOrDecodedIsBlamed(t *testing.T) {
	c := parsed(t, doors)
	m := &c.Methods[3]
	blamed := func(b []byte, start, offset int, err error) string {
		t.Helper()
		require.Error(t, err)
		blame := c.BlameCall(m, m.Fields, b, start, offset, err)
		require.ErrorIs(t, blame, err)
		var where *FieldError
		require.ErrorAs(t, blame, &where)
		require.Equal(t, "DoorServer.Price", where.Message)
		return where.Field
	}
	for start := range 70 {
		w := wire.NewBitWriter(nil)
		for range start {
			w.Bool(true)
		}
		w.Uint(16, 4)
		require.Equal(t, "Item.Kind", blamed(w.Bytes(), start, w.Offset(), w.Err()))

		w = wire.NewBitWriter(nil)
		for range start {
			w.Bool(true)
		}
		w.Uint(9, 4)
		w.Count(2, 3)
		w.Text("oak", 16, 4)
		w.Text("seventeen letters", 16, 4)
		require.Equal(t, "Item.Names[1]", blamed(w.Bytes(), start, w.Offset(), w.Err()))
	}
	require.Equal(t, "Item.Names", blamed(price(3)[:1], 3, 7, wire.ErrShort), "decoded")
	const item = 4 + 2 + (1 + 4) + 5 + 24 + 1 // with 5 bits in front of the text
	require.Equal(t, "Item", blamed(price(0), 0, item, errors.New("refused by a Validate")))
	require.Equal(t, "Item.Names[0]", blamed(price(0)[:3], 0, -1, wire.ErrRange), "all that was written")
}
