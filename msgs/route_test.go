package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

const (
	unreliable = transport.Unreliable
	ordered    = transport.ReliableOrdered
	sequenced  = transport.Sequenced
)

// badMessage ends in want at a host that handles Say and, in frames, Shoot.
type badMessage struct {
	want     msgs.Drop
	why      string // it is also what comes later in the order of checks
	payload  []byte
	delivery transport.Delivery
	channel  uint8
}

var badMessages = []badMessage{
	{msgs.DropEmpty, "no bytes", nil, ordered, 0},
	{msgs.DropEmpty, "no bytes, on a channel that nobody has", nil, ordered, 5},
	{msgs.DropChannel, "an unknown id on a channel that nobody has", []byte{99}, ordered, 5},
	{msgs.DropChannel, "a channel that does not exist", []byte{1, 1, 0, 0}, ordered, 255},
	{msgs.DropUnknown, "an unknown id in a mode that nothing has", []byte{99}, sequenced, 0},
	{msgs.DropUnknown, "an id between two others", []byte{6}, ordered, 0},
	{msgs.DropUnknown, "an id above all others", []byte{255, 1, 2, 3}, ordered, 1},
	{msgs.DropDirection, "the host's message on a wrong channel", []byte{3, 0, 0, 0, 0, 0}, unreliable, 1},
	{msgs.DropWrongChannel, "in the wrong mode too", []byte{1, 1, 0, 0}, unreliable, 1},
	{msgs.DropDelivery, "too short too", []byte{1}, unreliable, 0},
	{msgs.DropSize, "too short", []byte{1, 1, 0}, ordered, 0},
	{msgs.DropSize, "too long", make([]byte, 205), ordered, 0},
	{msgs.DropSize, "too long, and nothing handles it", []byte{4, 0}, ordered, 0},
	{msgs.DropNoHandler, "nothing handles it", []byte{4}, ordered, 0},
	{msgs.DropMalformed, "its string is longer than the message", []byte{1, 1, 2, 0, 'a'}, ordered, 0},
	{msgs.DropMalformed, "Validate refuses it, and a byte is left", append(encodedForbidden(), 0), ordered, 0},
	{msgs.DropUnread, "a byte is left", append(encoded(&Say{Text: "hello"}), 0), ordered, 0},
	{msgs.DropPanic, "its handler panics", encoded(&Say{Text: "panic"}), ordered, 0},
}

func init() {
	badMessages[11].payload[0] = 1
}

func encodedForbidden() []byte {
	b := encoded(&Say{Text: "forbiddem"})
	b[len(b)-1] = 'n'
	return b
}

func (m badMessage) from(c *conn) transport.Event {
	return transport.Event{Kind: transport.Message, Conn: c, Payload: m.payload, Delivery: m.delivery, Channel: m.channel}
}

func TestEachMessageEndsInTheFirstCheckThatItFails(t *testing.T) {
	for _, m := range badMessages {
		t.Run(m.want.String()+", "+m.why, func(t *testing.T) {
			var heard []string
			tb := newTable(t, msgs.Config{}, msgs.On(func(_ *msgs.In, m *Say) {
				if m.Text == "panic" {
					panic("as asked")
				}
				heard = append(heard, m.Text)
			}))
			ann := tb.joins(1)
			require.True(t, tb.Route(m.from(ann)))

			var want msgs.Drops
			want[m.want] = 1
			require.Equal(t, msgs.Stats{Drops: want}, tb.Stats())
			require.Equal(t, msgs.Stats{Drops: want}, tb.Peer(1).Stats())
			require.True(t, tb.sends(ann, &Say{Text: "next"}))
			require.Equal(t, []string{"next"}, heard, "the next message is not affected")
			require.Nil(t, ann.Err(), "the session lives")
		})
	}
}

func TestAMessageOfASessionThatHasNotBegunEndsThere(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	require.True(t, tb.Route(transport.Event{Kind: transport.Message, Conn: &conn{id: 1}}))
	require.True(t, tb.Route(transport.Event{Kind: transport.Message}))
	require.Equal(t, "session=2", tb.drops())
}

func TestAMessageInAnotherStateIsDroppedBeforeItIsDecoded(t *testing.T) {
	var frames []uint32
	tb := newTable(t, msgs.Config{Side: msgs.Client}, msgs.On(func(_ *msgs.In, m *World) { frames = append(frames, m.Frame) }))
	host := tb.joins(7)
	cut := []byte{3, 0, 0, 0, 0, 200}
	tb.sendsBytes(host, &chat.Entries[2], cut)
	require.Equal(t, "state=1", tb.drops())

	require.NoError(t, tb.Host().Enter(playing))
	tb.sendsBytes(host, &chat.Entries[2], cut)
	tb.sends(host, &World{Frame: 3})
	require.Equal(t, "state=1 malformed=1", tb.drops())
	require.NoError(t, tb.Host().Enter(lobby))
	tb.sends(host, &World{Frame: 4})
	require.Equal(t, "state=2 malformed=1", tb.drops())
	require.Equal(t, []uint32{3}, frames)
}

func TestASessionBeginsInTheFirstState(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	tb.joins(1)
	require.True(t, tb.Peer(1).In(lobby))
	require.False(t, tb.Peer(1).In(playing))
	require.NoError(t, tb.Peer(1).Enter(playing))
	require.False(t, tb.Peer(1).In(lobby))
	require.True(t, tb.Peer(1).In(playing))
}

func TestAStateOfAnUnknownCatalogueIsRefused(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	tb.joins(1)
	const text = "msgs: Peer.Enter: no such state: its catalogue has to be among Config.Catalogues"
	require.EqualError(t, tb.Peer(1).Enter(msgs.State{Catalogue: &msgs.Catalogue{States: []string{"lobby"}}}), text)
	require.EqualError(t, tb.Peer(1).Enter(msgs.State{}), text)
	require.EqualError(t, tb.Peer(1).Enter(msgs.State{Catalogue: &chat, Bit: 2}), text)
	require.False(t, tb.Peer(1).In(msgs.State{}))
	require.True(t, tb.Peer(1).In(lobby))
}

// A newer peer's messages are counted and ignored, whatever their id, in both directions, and never held against it.
func TestUnknownIDsAreCountedAndIgnored(t *testing.T) {
	for _, side := range []msgs.Side{msgs.Host, msgs.Client} {
		tb := newTable(t, msgs.Config{Side: side, OnAbuse: func(*msgs.Peer, msgs.Abuse) { t.Error("abuse") }})
		c := tb.joins(1)
		for id := range 256 {
			if id == 0 || id > 7 {
				tb.sendsBytes(c, &chat.Entries[0], []byte{byte(id), 1, 2, 3})
			}
		}
		require.Equal(t, "unknown=249", tb.drops())
		require.Zero(t, tb.Stats().Abuse)
	}
}

func TestWithKeepUnreadAMessageWithBytesLeftIsHandledAndReported(t *testing.T) {
	var heard []string
	tb := newTable(t, msgs.Config{KeepUnread: true}, append(everything()[1:], msgs.On(func(_ *msgs.In, m *Say) { heard = append(heard, m.Text) }))...)
	ann := tb.joins(1)
	for range 20 {
		tb.sendsBytes(ann, &chat.Entries[0], append(encoded(&Say{Text: "hello"}), make([]byte, 300)...))
	}
	tb.sendsBytes(ann, &chat.Entries[0], append(encodedForbidden(), 0))
	require.Len(t, heard, 20)
	require.Equal(t, uint64(20), tb.Stats().Unread)
	require.Equal(t, uint64(20), tb.Stats().Handled.Messages)
	require.Equal(t, "malformed=1", tb.drops())
	require.Equal(t, `level=WARN msg="Message from player 1 handled in part" reason=unread message=Say `+
		`error="message Say of 309 bytes: 300 bytes are left after its fields"`, tb.lines()[0])
}
