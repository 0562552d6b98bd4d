package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim/proxy"
)

func TestProxyRelaysLosesAndCounts(t *testing.T) {
	t.Parallel()
	host := listen(t, echo)
	p := start(t, "proxy", "-listen", "127.0.0.1:0", "-to", host, "-loss", "20", "-delay", "2ms", "-jitter", "1ms", "-dup", "5")
	r := udpecho(t, "client", "-base", "-connect", p.listening(), "-n", "100", "-rate", "500", "-json")
	require.Zero(t, r.code, r.err)
	require.EqualValues(t, 100, r.object(t)["delivered"])
	p.signal(signals(t)[1])
	end := p.ends()
	require.Zero(t, end.code, end.err)
	require.Regexp(t, `to the host: sent \d+, duplicated \d+, delivered \d+, lost by loss \d+`, end.out)
	require.Regexp(t, `to clients:  sent \d+`, end.out)
}

func TestProxyThatRelayedNothingSaysSo(t *testing.T) {
	p := start(t, "proxy", "-to", "127.0.0.1:7777")
	p.listening()
	p.signal(signals(t)[0])
	end := p.ends()
	require.Zero(t, end.code, end.err)
	require.Equal(t, "to the host: nothing came\nto clients:  nothing came\n", end.out)
}

func TestProxyWithoutAResolvableHostFails(t *testing.T) {
	r := udpecho(t, "proxy", "-to", "no-such-name.invalid:1")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "no-such-name.invalid")
	require.Contains(t, r.err, "-to no-such-name.invalid:1: looking up the address of the host")
	require.NotContains(t, r.err, "listening on")
}

func TestProxyWithNothingBehindItSaysSo(t *testing.T) {
	require.Contains(t, proxySummary(proxy.Counts{Errors: 3}), "3 reads and writes failed, as they do if nothing listens")
	require.NotContains(t, proxySummary(proxy.Counts{}), "failed")
}
