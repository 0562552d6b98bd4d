package msgstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
)

func TestFuzzingFindsAFlaw(t *testing.T) {
	r := &recorder{}
	s := newSuite(r, roster)
	flawed := []msgs.Message{sampleOf[anyBool]()}
	b, err := flawed[0].Append(nil)
	require.NoError(t, err)
	s.fuzz(r, b, flawed)
	require.Empty(t, r.failures)
	b[2] = 2
	s.fuzz(r, b, flawed)
	require.Len(t, r.failures, 1, "the host sends it, the client does not")
	s.fuzz(r, []byte{1, 2, 3}, flawed)
	require.Len(t, r.failures, 1, "no message has that id")
}
