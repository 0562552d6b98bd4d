package bytes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// sink takes messages as a peer does, and keeps the last one.
type sink struct {
	buffer []byte
	sent   []byte
	err    error
}

func (s *sink) Buffer() []byte { return s.buffer[:0] }

func (s *sink) SendEncoded(_ msgs.Descriptor, b []byte, err error) error {
	s.sent, s.err = b, err
	return err
}

func moreSamples() []msgs.Message {
	return []msgs.Message{
		&Window{Span: Span{-2, -1}, Name: "in"},
		&Roster{Leader: Player{Name: "a name of 20 letters"}, Span: Span{3, 3}},
	}
}

func TestAPoseTakes41Bytes(t *testing.T) {
	b, err := (&Pose{}).Append(nil)
	require.NoError(t, err)
	require.Len(t, b, 41)
	require.EqualValues(t, 41, b[0])
}

func TestSendingALiteralAllocatesNothing(t *testing.T) {
	to := &sink{buffer: make([]byte, 0, 256)}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Pose{T: 1.5, Hands: Vector{1, 2, 3}}.Send(to)
		Result{Round: 3, Hit: true, By: "somebody"}.Send(to)
	}))
	require.NoError(t, to.err)
	require.Len(t, to.sent, 41)
}

func TestAnErrorNamesMessageAndFieldAndSendsNothing(t *testing.T) {
	to := &sink{}
	err := Roster{Players: []Player{{}, {Name: " x"}}}.Send(to)
	require.ErrorIs(t, err, ErrBlank)
	var field *layout.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "Roster", field.Message)
	require.Equal(t, "Players[1].Name", field.Field)
	require.Empty(t, to.sent)
}

func TestValidateIsAskedBeforeEncodingAndAfterDecoding(t *testing.T) {
	w := Window{Span: Span{-1, 0}}
	_, err := w.Append(nil)
	require.ErrorIs(t, err, ErrBlank)

	w.Name = "x"
	b, err := w.Append(nil)
	require.NoError(t, err)
	b[len(b)-1] = ' '
	require.NoError(t, w.Parse(b))
	copy(b[5:9], []byte{0xfe, 0xff, 0xff, 0xff}) // from -1 to -2
	require.ErrorIs(t, w.Parse(b), ErrEmptyRange)
}

func TestParseLeavesAloneWhatIsNotSent(t *testing.T) {
	b, err := (&Roster{Leader: Player{Name: "a"}}).Append(nil)
	require.NoError(t, err)
	var r Roster
	r.Leader.Cache(7)
	require.NoError(t, r.Parse(b))
	require.Equal(t, Player{Name: "a", cached: 7}, r.Leader)
}

func TestBytesOfAnotherMessageAreRefused(t *testing.T) {
	b, err := (&Ready{}).Append(nil)
	require.NoError(t, err)
	require.ErrorContains(t, (&Pose{}).Parse(b), "message Pose: the bytes start with id 9, its own is 41")
	require.Error(t, (&Pose{}).Parse(nil))
}

func TestEnumsHaveNamesAndKnowTheirValues(t *testing.T) {
	require.Equal(t, "Flyer", Flyer.String())
	require.Equal(t, "Late", Unlucky.String())
	require.Equal(t, "Kind(9)", Kind(9).String())
	require.Equal(t, "Fault(-1)", Fault(-1).String())
	require.True(t, Crash.Valid())
	require.False(t, Fault(-1).Valid())
	require.False(t, Kind(3).Valid())
}
