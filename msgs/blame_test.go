package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/wire"
)

// requireBlame requires an error about a field of Say.
func requireBlame(t *testing.T, err error, field string, reason error) {
	t.Helper()
	var found *layout.FieldError
	require.ErrorAs(t, err, &found)
	require.Equal(t, &layout.FieldError{Message: "Say", Field: field, Err: reason}, found)
	require.ErrorIs(t, err, reason)
	require.EqualError(t, err, found.Error())
}

func TestAMessageThatDoesNotDecodeNamesTheField(t *testing.T) {
	err := new(Say).Parse([]byte{1, 0, 9, 0, 'c', 'u', 't'})
	requireBlame(t, err, "Text", wire.ErrShort)
	require.EqualError(t, err, "message Say, field Text: input is too short")
	require.EqualError(t, new(World).Parse([]byte{3, 1, 0, 0, 0, 2, 5, 5, 5}), "message World, field Scores: input is too short")
}

func TestAValueThatDoesNotEncodeNamesTheField(t *testing.T) {
	err := msgs.Blame((*Say)(nil).Descriptor(), []byte{1, 7}, -1, wire.ErrLimit)
	requireBlame(t, err, "Text", wire.ErrLimit)
}

func TestWithoutADescriptionTheMessageIsNamedAlone(t *testing.T) {
	c := &msgs.Catalogue{Name: "bare", Entries: []msgs.Entry{{Name: "Say"}}}
	_, problem := c.Layout()
	require.ErrorContains(t, problem, "msgs: Description of catalogue bare: ")
	require.EqualError(t, msgs.Blame(msgs.Descriptor{Catalogue: c, Entry: &c.Entries[0]}, nil, 0, wire.ErrShort), "message Say: input is too short")
	other := msgs.Descriptor{Catalogue: &chat, Entry: &msgs.Entry{Name: "Other"}}
	require.EqualError(t, msgs.Blame(other, nil, 0, wire.ErrShort), "message Other: input is too short")
}

func TestTheLayoutOfACatalogueIsThatOfItsDescription(t *testing.T) {
	first, err := chat.Layout()
	require.NoError(t, err)
	require.Equal(t, chat.Description, first.String())
	again, err := chat.Layout()
	require.NoError(t, err)
	require.Same(t, first, again)
	for i, m := range first.Messages {
		e := chat.Entries[i]
		require.Equal(t, []any{e.ID, e.Name, e.From, e.Delivery, e.Channel, e.States}, []any{m.ID, m.Name, m.From, m.Delivery, m.Channel, m.States})
	}
}

func TestAMessageOfAnotherIDSaysSo(t *testing.T) {
	require.EqualError(t, msgs.OtherID((*Say)(nil).Descriptor(), 7), "message Say: the bytes start with id 7, its own is 1")
}
