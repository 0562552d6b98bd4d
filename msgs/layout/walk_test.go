package layout

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/wire"
)

// play is a message Play of chat: a hit, with two names at the depth of lists in an array.
func play() []byte {
	w := wire.NewWriter(nil)
	w.Uint8(200)
	w.Bool(false) // Final
	w.Bool(true)  // Hit
	w.Float32(1.5)
	w.Float64(-2.25)
	w.Int8(-1)        // Side
	w.Uint16(301)     // Pitch
	w.Uint32(5)       // Base
	w.Int64(-1 << 63) // Odds
	w.Int32(-100)     // At.X
	w.Uint32(7)
	w.Int8(-8)
	w.Count(0, 255) // At.Deep[0]
	w.Count(2, 255) // At.Deep[1]
	w.Bool(true)    // There
	w.Text("Ünal", 16)
	w.Uint64(1 << 63)
	w.Blob([]byte{0xAB}, 3)
	w.Bool(false)
	w.Uint64(2)
	w.Blob(nil, 3)
	w.Int64(-9)  // Big
	w.Uint16(10) // Small
	w.Raw([]byte{1, 2})
	return w.Bytes()
}

// spawn is a message Spawn of arena.
func spawn() []byte {
	w := wire.NewBitWriter(nil)
	w.Bits(0, 4)
	w.Enum(3, 5)
	w.Enum(0, 1)
	w.Vec3(1.5, -2.25, 3, 13, 9)
	w.Unorm(1, 8)
	w.Snorm(-1, 8)
	w.Fixed(-12, 10, 0)
	w.UFixed(3.5, 10, 5)
	w.RGB(1, 2, 255)
	w.RGBA(1, 2, 3, 4)
	w.GUID([16]byte{15: 9})
	w.Bool(true)
	w.Int(-16, 5)
	w.Uint(5, 3)
	w.Text("arch", 32, 5)
	w.Blob([]byte{7, 8}, 100)
	w.Count(2, 7)
	w.Uint(9, 4)
	w.Uint16(500)
	w.Uint(10, 4)
	w.Uint16(501)
	return w.Bytes()
}

// named returns the message of that name.
func named(t testing.TB, c *Catalogue, name string) *Message {
	for i := range c.Messages {
		if c.Messages[i].Name == name {
			return &c.Messages[i]
		}
	}
	require.FailNow(t, "no message "+name)
	return nil
}

func TestAWalkComesToEachValueInTheOrderOfTheBytes(t *testing.T) {
	var steps []string
	c := parsed(t, chat)
	require.NoError(t, c.Walk(named(t, c, "Play"), play(), func(s Step) bool {
		steps = append(steps, fmt.Sprintf("%d+%d %s %v", s.Offset, s.Bits, s.Path(), s.Value()))
		return true
	}))
	require.Equal(t, []string{
		"8+8 Final false",
		"16+8 Hit true",
		"24+32 Speed 1.5",
		"56+64 Spin -2.25",
		"120+8 Side -1",
		"128+16 Pitch 301",
		"144+32 Base 5",
		"176+64 Odds -9223372036854775808",
		"240+32 At.X -100",
		"272+32 At.Y 7",
		"304+8 At.Z -8",
		"312+8 At.Deep[0] 0",
		"320+8 At.Deep[1] 2",
		"328+8 At.Deep[1][0].There true",
		"336+56 At.Deep[1][0].Name [195 156 110 97 108]",
		"392+64 At.Deep[1][0].Id 9223372036854775808",
		"456+24 At.Deep[1][0].Raw [171]",
		"480+8 At.Deep[1][1].There false",
		"488+64 At.Deep[1][1].Id 2",
		"552+16 At.Deep[1][1].Raw []",
		"568+64 Big -9",
		"632+16 Small 10",
		"648+16 Tail [1 2]",
	}, steps)
}

func TestAWalkOverBitsCountsThem(t *testing.T) {
	var steps []string
	c := parsed(t, arena)
	require.NoError(t, c.Walk(named(t, c, "Spawn"), spawn(), func(s Step) bool {
		steps = append(steps, fmt.Sprintf("%d+%d %s %v", s.Offset, s.Bits, s.Path(), s.Value()))
		return true
	}))
	require.Equal(t, []string{
		"4+3 Kind 3",
		"7+0 Only 0",
		"7+66 Pos [1.5 -2.25 3]",
		"73+8 Fuel 1",
		"81+8 Steer -1",
		"89+10 Height -12",
		"99+15 Depth 3.5",
		"114+24 Paint [1 2 255]",
		"138+32 Glow [1 2 3 4]",
		"170+128 Key [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9]",
		"298+1 Moved true",
		"299+5 By -16",
		"304+3 Level 5",
		"307+45 Name [97 114 99 104]", // 1 bit, 5 of the length, 7 of padding
		"352+24 Bytes [7 8]",
		"376+3 Items 2",
		"379+4 Items[0].Slot 9",
		"383+16 Items[0].Count 500",
		"399+4 Items[1].Slot 10",
		"403+16 Items[1].Count 501",
	}, steps)
}

// look is a message Look of arena.
func look() []byte {
	w := wire.NewBitWriter(nil)
	w.Bits(0, 9)
	w.Degrees(90, 12)
	w.Radians(0, 9)
	w.Unit(0, 0, -1, 9)
	w.Quat(0, 0, 0, 1, 9)
	w.YawQuat(0, 0, 0, 1, 9, 10)
	w.YawUnit(1, 0, 0, 16)
	w.YawVec(2, 0, 0, 16)
	return w.Bytes()
}

func TestEveryShapeOfFloatsIsWalked(t *testing.T) {
	require.Equal(t, "Look{Yaw: 90, Pitch: 0, Aim: (0, 0, -1), Turn: (0, 0, 0, 1), Walk: (0, 0, 0, 1), Flat: (1, 0, 0), Push: (2, 0, 0)}",
		parsed(t, arena).Dump(Client, look()))
}

func TestAConditionIsOfItsOwnStruct(t *testing.T) {
	c := parsed(t, `catalogue chat protocol CHAT-1 codec bytes
message 1 Say from both delivery ordered channel 0
  Has bool
  Part struct
    Has bool
    Level uint8 if=Has
  Level uint8 if=Has
`)
	require.Equal(t, "Say{Has: true, Part: {Has: false}, Level: 7}", c.Dump(Client, []byte{1, 1, 0, 7}))
	require.Equal(t, "Say{Has: false, Part: {Has: true, Level: 7}}", c.Dump(Client, []byte{1, 0, 1, 7}))
}

func TestAWalkEndsWhenItIsToldTo(t *testing.T) {
	c := parsed(t, chat)
	steps := 0
	require.NoError(t, c.Walk(named(t, c, "Play"), play()[:20], func(Step) bool { steps++; return steps < 3 }))
	require.Equal(t, 3, steps)
}

func TestAMessageIsFoundByItsIDAndSender(t *testing.T) {
	c := parsed(t, arena)
	m, err := c.Find(Client, []byte{0, 0})
	require.NoError(t, err)
	require.Equal(t, "Look", m.Name)
	m, err = c.Find(Host, []byte{0})
	require.NoError(t, err)
	require.Equal(t, "Spawn", m.Name)
	_, err = c.Find(Host, []byte{1})
	require.ErrorIs(t, err, ErrID)
	_, err = c.Find(Client, []byte{0})
	require.ErrorIs(t, err, wire.ErrShort)
}

func TestAMalformedMessageIsAnErrorWithItsField(t *testing.T) {
	at := func(i int, b ...byte) []byte {
		return append(append(bytes.Clone(play()[:i]), b...), play()[i+len(b):]...)
	}
	for _, row := range []struct {
		b    []byte
		is   error
		says string
	}{
		{nil, wire.ErrShort, "message Play: input is too short"},
		{[]byte{10}, ErrID, "message Play: unknown id 10"},
		{[]byte{200}, wire.ErrShort, "message Play, field Final: input is too short"},
		{at(1, 2), wire.ErrBool, "message Play, field Final: neither true nor false"},
		{at(3, 0, 0, 0x80, 0x7F), wire.ErrNotFinite, "message Play, field Speed: not a finite number"},
		{at(15, 0), wire.ErrEnum, "message Play, field Side: not a declared value"},
		{at(16, 5), wire.ErrEnum, "message Play, field Pitch: not a declared value"},
		{at(30, 0x9B), wire.ErrRange, "message Play, field At.X: outside its range"},
		{at(40, 0xFF), wire.ErrShort, "message Play, field At.Deep[1]: input is too short"},
		{at(42, 17), wire.ErrLimit, "message Play, field At.Deep[1][0].Name: above its limit"},
		{at(44, 0xFF), wire.ErrText, "message Play, field At.Deep[1][0].Name: not UTF-8"},
	} {
		c := parsed(t, chat)
		err := c.Walk(named(t, c, "Play"), row.b, nil)
		require.ErrorIs(t, err, row.is)
		require.EqualError(t, err, row.says)
	}
}

func TestAMessageIsReadToItsEnd(t *testing.T) {
	c := parsed(t, chat)
	err := c.Walk(named(t, c, "Ping"), []byte{0, 1, 2}, nil)
	require.ErrorIs(t, err, ErrUnread)
	require.EqualError(t, err, "message Ping: 2 bytes are left after its fields")

	c = parsed(t, arena)
	spawn := spawn()
	require.ErrorIs(t, c.Walk(named(t, c, "Spawn"), append(bytes.Clone(spawn), 0), nil), ErrUnread)
	spawn[len(spawn)-1] |= 0x80
	require.ErrorIs(t, c.Walk(named(t, c, "Spawn"), spawn, nil), wire.ErrPadding)
}

func TestAWalkAllocatesNoMoreForMoreItems(t *testing.T) {
	c := parsed(t, head+`message 1 Say from client delivery ordered channel 0
  List list max=60000
    - struct
      There bool
      Sum uint64 if=There
`)
	m := &c.Messages[0]
	full := append([]byte{1, 0x60, 0xEA}, bytes.Repeat([]byte{1, 1, 2, 3, 4, 5, 6, 7, 8}, 60_000)...)
	require.NoError(t, c.Walk(m, full, nil))
	one, claimed := []byte{1, 1, 0, 0}, []byte{1, 0x60, 0xEA, 1}
	few := testing.AllocsPerRun(10, func() { _ = c.Walk(m, one, nil) })
	require.Equal(t, few+1, testing.AllocsPerRun(10, func() { _ = c.Walk(m, full, nil) }), "one for all that is set")
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = c.Walk(m, claimed, nil) }), few+3, "and those of the error")
}
