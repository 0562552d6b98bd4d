package x25519_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/x25519"
)

// The vector of RFC 7748, section 6.1.
func TestTheSecretIsThePublishedOne(t *testing.T) {
	alice := x25519.NewPrivate([32]byte(unhex(t, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")))
	require.Equal(t, unhex(t, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"), alice.Bytes())
	require.Equal(t, unhex(t, "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"), alice.Public())

	secret, err := alice.Secret(unhex(t, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
	require.NoError(t, err)
	require.Equal(t, unhex(t, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"), secret)
}

func TestPublicKeysThatNobodyHasAreRefused(t *testing.T) {
	mine := x25519.NewPrivate([32]byte{1})
	for name, public := range map[string][]byte{"low order": make([]byte, 32), "short": make([]byte, 31), "long": make([]byte, 33)} {
		_, err := mine.Secret(public)
		require.Error(t, err, name)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
