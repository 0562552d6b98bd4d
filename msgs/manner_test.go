package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// anySay is a table whose Say may come and go in any mode.
func anySay(t *testing.T, c msgs.Config, handlers ...msgs.Handler) *table {
	c.Catalogues = []msgs.Mount{{Catalogue: &chat, AnyMode: []msgs.Descriptor{(*Say)(nil).Descriptor()}}}
	return newTable(t, c, handlers...)
}

func TestAMessageIsSentInAChosenMode(t *testing.T) {
	tb := anySay(t, msgs.Config{}, everything()...)
	ann, bob := tb.joins(1), tb.joins(2)
	lossy := msgs.As(transport.Unreliable, tb.All())
	require.NoError(t, Say{Text: "a"}.Send(lossy))
	require.NoError(t, Say{Text: "b"}.Send(tb.All()))
	require.NoError(t, Say{Text: "c"}.Send(msgs.As(transport.Unreliable, tb.Peer(1).Receipt(7))))
	require.Equal(t, []transport.SendOptions{{}, {Delivery: transport.ReliableOrdered}, {Receipt: 7}}, []transport.SendOptions{
		ann.sent[0].o, ann.sent[1].o, ann.sent[2].o,
	})
	require.Equal(t, transport.SendOptions{}, bob.sent[0].o)
}

func TestAMessageIsTakenInAnyModeIfTheMountSaysSo(t *testing.T) {
	var modes []transport.Delivery
	hear := msgs.OnFrame(func(in *msgs.In, _ *Say) { modes = append(modes, in.Delivery) })
	tb := anySay(t, msgs.Config{}, hear)
	ann := tb.joins(1)
	for _, mode := range []transport.Delivery{transport.Unreliable, transport.ReliableOrdered} {
		tb.sendsBytes(ann, &msgs.Entry{Delivery: mode}, encoded(&Say{Text: "a"}))
	}
	tb.RunFrame()
	require.Equal(t, []transport.Delivery{transport.Unreliable, transport.ReliableOrdered}, modes)
	require.Zero(t, tb.Stats().Drops.Total())
}

func TestOnlyWhatTheMountNamesIsSentInAChosenMode(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	require.ErrorIs(t, Say{}.Send(msgs.As(transport.Unreliable, tb.Peer(1))), msgs.ErrMode)
	require.ErrorIs(t, Say{}.Send(msgs.As(transport.Unreliable, tb.All())), msgs.ErrMode)
	require.NoError(t, Say{}.Send(msgs.As(transport.ReliableOrdered, tb.Peer(1))), "that is its mode")
	require.Len(t, ann.sent, 1)
	require.ErrorContains(t, Say{}.Send(msgs.As(transport.Unreliable, foreign{})), "As needs a Peer")
}

// foreign is a target that does not know of modes.
type foreign struct{}

func (foreign) Buffer() []byte                                   { return nil }
func (foreign) SendEncoded(msgs.Descriptor, []byte, error) error { return nil }

func TestAModeIsAllowedForMessagesOfTheCatalogueOnly(t *testing.T) {
	other := msgs.Catalogue{Name: "other"}
	_, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &chat,
		AnyMode: []msgs.Descriptor{{Catalogue: &other, Entry: &msgs.Entry{}}}}}})
	require.ErrorContains(t, err, "AnyMode has a message that is not of catalogue")
}
