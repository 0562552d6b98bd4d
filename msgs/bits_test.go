package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// arena has ids of the host and of clients that are equal, and different in width: 9 bits for the host's, 2 for the client's.
var arena = msgs.Catalogue{
	Name: "arena", Codec: layout.Bits, HostIDs: 300,
	Entries: []msgs.Entry{
		{ID: 1, Name: "Look", From: msgs.Client, MinSize: 1, MaxSize: 2},
		{ID: 1, Name: "Spawn", From: msgs.Host, MinSize: 2, MaxSize: 2},
		{ID: 2, Name: "Jump", From: msgs.Client, MinSize: 1, MaxSize: 1},
		{ID: 299, Name: "Over", From: msgs.Host, MinSize: 2, MaxSize: 2},
	},
}

// raw makes handlers that write down which message came.
func raw(c *msgs.Catalogue, from msgs.Side, names *[]string) (list []msgs.Handler) {
	for i := range c.Entries {
		if c.Entries[i].From&from != 0 {
			list = append(list, msgs.OnRaw(msgs.Descriptor{Catalogue: c, Entry: &c.Entries[i]}, func(in *msgs.In) { *names = append(*names, in.Entry.Name) }))
		}
	}
	return list
}

// unreliably routes payloads and returns the names of the messages that they were taken for.
func unreliably(t *testing.T, c *msgs.Catalogue, side, other msgs.Side, payloads ...[]byte) (names []string, drops string) {
	tb := newTable(t, msgs.Config{Side: side, Catalogues: []msgs.Mount{{Catalogue: c}}}, raw(c, other, &names)...)
	ann := tb.joins(1)
	for _, b := range payloads {
		tb.Route(transport.Event{Kind: transport.Message, Conn: ann, Payload: b})
	}
	return names, tb.drops()
}

func TestHostAndClientCountTheirIDsApart(t *testing.T) {
	names, drops := unreliably(t, &arena, msgs.Host, msgs.Client, []byte{0b101}, []byte{0b110, 9}, []byte{0b1010}, []byte{3}, []byte{0}, nil)
	require.Equal(t, []string{"Look", "Jump"}, names)
	require.Equal(t, "empty=1 unknown=2 size=1", drops)

	names, drops = unreliably(t, &arena, msgs.Client, msgs.Host, []byte{1, 0b10}, []byte{0b00101011, 1}, []byte{1}, []byte{2, 0}, []byte{255, 1})
	require.Equal(t, []string{"Spawn", "Over"}, names)
	require.Equal(t, "empty=1 unknown=2", drops)
}

func TestAMessageOfBothSidesHasOneIDInBothDirections(t *testing.T) {
	both := msgs.Catalogue{Name: "both", Codec: layout.Bits, HostIDs: 4, ClientIDs: 3, Entries: []msgs.Entry{
		{ID: 0, Name: "Mine", From: msgs.Client, MaxSize: 9},
		{ID: 0, Name: "Yours", From: msgs.Host, MaxSize: 9},
		{ID: 2, Name: "Ours", From: msgs.Both, MaxSize: 9},
	}}
	fromClient, _ := unreliably(t, &both, msgs.Host, msgs.Client, []byte{0}, []byte{2})
	require.Equal(t, []string{"Mine", "Ours"}, fromClient)
	fromHost, _ := unreliably(t, &both, msgs.Client, msgs.Host, []byte{0}, []byte{2})
	require.Equal(t, []string{"Yours", "Ours"}, fromHost)
}

func TestTheHighestIDIsAnID(t *testing.T) {
	high := msgs.Catalogue{Name: "high", Codec: layout.Bits, Entries: []msgs.Entry{{ID: 65535, Name: "Last", From: msgs.Client, MinSize: 2, MaxSize: 2}}}
	names, drops := unreliably(t, &high, msgs.Host, msgs.Client, []byte{255, 255}, []byte{254, 255})
	require.Equal(t, []string{"Last"}, names)
	require.Equal(t, "unknown=1", drops)
}

func TestTheOnlyMessageOfASideNeedsNoID(t *testing.T) {
	only := msgs.Catalogue{Name: "only", Codec: layout.Bits, Entries: []msgs.Entry{{Name: "Tick", From: msgs.Host, MaxSize: 1}}}
	names, drops := unreliably(t, &only, msgs.Client, msgs.Host, nil, []byte{200})
	require.Equal(t, []string{"Tick", "Tick"}, names)
	require.Equal(t, "none", drops)
}
