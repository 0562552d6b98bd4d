package secure

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretsAreNotShown(t *testing.T) {
	m := meet(t, func(h *HostConfig, c *ClientConfig) {
		withToken(t, nil)(h, c)
		h.Seed, c.Seed = Secret([]byte("a seed that nobody could guess..")), Secret([]byte("nor could anybody guess this....."[:32]))
	})
	joined, j := m.joined()
	secrets := []Secret{
		hostStatic, clientStatic, issuerKey.Key, m.client.cfg.PSK, m.host.resets.key, m.host.tokenKeys[0].Key, m.host.cfg.Seed, m.client.cfg.Seed,
	}
	for _, v := range []any{
		hostStatic, &clientStatic, issuerKey, []Secret{hostStatic}, map[string]Secret{"key": hostStatic}, m.client, *m.client, m.host, *m.host,
		joined.Session, *joined.Session, joined, *j, TokenKey{1, hostStatic}, m.host.cfg, m.client.cfg,
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%X", "%q", "%d"} {
			requireShowsNone(t, secrets, fmt.Sprintf(verb, v))
		}
		encoded, err := json.Marshal(v)
		require.NoError(t, err)
		requireShowsNone(t, secrets, string(encoded))
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("event", "value", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("event", "value", v)
		requireShowsNone(t, secrets, log.String())
	}
	require.Equal(t, "(secret)", fmt.Sprint(hostStatic))
	require.Equal(t, "(secret)", fmt.Sprint(m.host))
	require.Equal(t, joined.HostKey.String(), fmt.Sprint(joined.HostKey), "public keys are shown")
}

// requireShowsNone fails the test if the text has the bytes of a secret in hex or as decimal numbers.
func requireShowsNone(t *testing.T, secrets []Secret, text string) {
	for _, s := range secrets {
		low := strings.ToLower(text)
		require.NotContains(t, low, hex.EncodeToString(s[:8]))
		require.NotContains(t, low, strings.Trim(fmt.Sprint(s[:8]), "[]"))
		require.NotContains(t, low, strings.ReplaceAll(strings.Trim(fmt.Sprint(s[:8]), "[]"), " ", ","))
		require.NotContains(t, low, strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", s[:8]), "[]byte{"), "}"))
		require.NotContains(t, text, string(s[:8]))
	}
}
