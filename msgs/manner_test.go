package msgs_test

import (
	"errors"
	"testing"
	"time"

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

// spareSay is a table whose Say may use channels 3 to 5 in any mode.
func spareSay(t *testing.T, handlers ...msgs.Handler) *table {
	return newTable(t, msgs.Config{Catalogues: []msgs.Mount{{Catalogue: &chat, Channel: 3, AnyMode: []msgs.Descriptor{(*Say)(nil).Descriptor()}, Spare: 2}}}, handlers...)
}

func TestAMessageIsSentInAMannerOfItsOwn(t *testing.T) {
	tb := spareSay(t, everything()...)
	ann, bob := tb.joins(1), tb.joins(2)
	b := encoded(&Say{Text: "a"})
	how := msgs.Manner{Delivery: transport.Unreliable, Channel: 2, TTL: time.Second, Urgent: true}
	d := (*Say)(nil).Descriptor()
	require.NoError(t, msgs.SendAs(tb.Peer(1), how, d, b, nil))
	require.NoError(t, msgs.SendAs(tb.All(), how, d, b, nil))
	want := transport.SendOptions{Delivery: transport.Unreliable, Channel: 3 + 2, TTL: time.Second, Urgent: true}
	require.Equal(t, []sent{{string(b), want}, {string(b), want}}, ann.sent)
	require.Equal(t, []sent{{string(b), want}}, bob.sent)

	how.Channel = 3
	require.ErrorIs(t, msgs.SendAs(tb.Peer(1), how, d, b, nil), msgs.ErrMode, "two are spare")
	require.ErrorContains(t, msgs.SendAs(foreign{}, how, d, b, nil), "SendAs needs a Peer")
	failed := errors.New("it cannot be encoded")
	require.ErrorIs(t, msgs.SendAs(tb.Peer(1), how, d, b, failed), failed)
	require.ErrorIs(t, msgs.SendAs(tb.Peer(1), msgs.Manner{}, (*World)(nil).Descriptor(), make([]byte, 6), nil), msgs.ErrState)
}

func TestBytesThatWereSentInAMannerStayTheCallers(t *testing.T) {
	tb := spareSay(t, everything()...)
	tb.joins(1)
	mine := append(make([]byte, 0, 4096), encoded(&Say{Text: "mine"})...)
	lent := tb.All().Buffer()
	require.NoError(t, msgs.SendAs(tb.All(), msgs.Manner{Delivery: transport.ReliableOrdered}, (*Say)(nil).Descriptor(), mine, nil))
	require.NoError(t, tb.All().SendEncoded((*Say)(nil).Descriptor(), append(lent, encoded(&Say{Text: "lent"})...), nil))
	require.NoError(t, Say{Text: "yours"}.Send(tb.All()))
	require.Equal(t, encoded(&Say{Text: "mine"}), mine)
}

func TestASpareChannelIsForTheMessagesOfAnyModeAlone(t *testing.T) {
	var came []uint8
	tb := spareSay(t, msgs.On(func(in *msgs.In, _ *Say) { came = append(came, in.Spare()) }), msgs.On(func(*msgs.In, *Ready) {}))
	ann := tb.joins(1)
	for channel := uint8(2); channel <= 6; channel++ {
		tb.sendsBytes(ann, &msgs.Entry{Delivery: transport.Unreliable, Channel: channel}, encoded(&Say{Text: "a"}))
	}
	require.Equal(t, []uint8{0, 1, 2}, came)
	tb.sendsBytes(ann, &msgs.Entry{Delivery: transport.ReliableOrdered, Channel: 4}, encoded(&Ready{}))
	require.Equal(t, "channel=2 wrong-channel=1", tb.drops())
}

func TestSpareChannelsBelongToOneCatalogue(t *testing.T) {
	other := msgs.Catalogue{Name: "other", Entries: []msgs.Entry{{ID: 9, Name: "Nine", From: msgs.Both, MinSize: 1, MaxSize: 1}}}
	spare := msgs.Mount{Catalogue: &chat, AnyMode: []msgs.Descriptor{(*Say)(nil).Descriptor()}, Spare: 2}
	for _, list := range [][]msgs.Mount{{spare, {Catalogue: &other, Channel: 2}}, {{Catalogue: &other, Channel: 2}, spare}} {
		_, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: list})
		require.ErrorContains(t, err, "are both on channel 2")
	}
	spare.Channel = 62
	_, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{spare}})
	require.ErrorContains(t, err, "would be on channel 64")
}
