package udp_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
)

func TestKeysAreLoggedByWhoIsAskedTo(t *testing.T) {
	w := newSecureWorld(t)
	var atHost, atClient bytes.Buffer
	hosting, joining := keyed(), knows()
	hosting.KeyLogWriter, joining.KeyLogWriter = &atHost, &atClient
	h := w.host(hosting)
	w.client("client", h, joining)
	w.run(time.Second)
	require.Equal(t, atHost.String(), atClient.String())
	require.Equal(t, 1, bytes.Count(atHost.Bytes(), []byte("\n")))
	_, err := secure.NewUnsealer(atHost.String())
	require.NoError(t, err)

	w.client("silent", h, knows())
	w.run(time.Second)
	require.Equal(t, 2, bytes.Count(atHost.Bytes(), []byte("\n")))
	require.Equal(t, 1, bytes.Count(atClient.Bytes(), []byte("\n")), "nobody logs that was not asked")
}
