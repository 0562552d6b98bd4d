package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	frames "github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/reliable"
)

// simulatePackets runs udpecho sim on the packet wire with -json and gives the object.
func simulatePackets(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return simulate(t, append([]string{"-wire", "secure"}, args...)...)
}

func TestPerfectLinkAddsNothingToPackets(t *testing.T) {
	o := simulatePackets(t, "-loss", "0", "-delay", "25ms", "-n", "20000")
	for _, quantile := range []string{"p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms"} {
		require.EqualValues(t, 25, o[quantile], quantile)
	}
	require.EqualValues(t, 20000, o["delivered"])
	require.InDelta(t, 20000, o["datagrams_forward"], 100, "beside acks of the credit that is raised now and then")
	require.LessOrEqual(t, o["bytes_ratio"], 1.005)
	for _, none := range []string{"duplicates", "out_of_order", "repairs", "spurious"} {
		require.Zero(t, o[none], none)
	}
}

func TestEveryModeKeepsItsPromisesOnPackets(t *testing.T) {
	for _, mode := range []string{"ordered", "unordered", "sequenced", "unreliable", "reliable-sequenced"} {
		for _, args := range [][]string{
			{"-loss", "0"},
			{"-loss", "20"},
			{"-loss", "5", "-loss-back", "40"},
			{"-loss", "5", "-burst", "3"},
			{"-loss", "5", "-burst-time", "100ms"},
			{"-loss", "5", "-jitter", "20ms", "-dup", "5", "-reorder", "5"},
			{"-loss", "2", "-urgent", "-budget", "2.0"},
			{"-loss", "5", "-reverse-tick", "-rate", "60"},
			{"-loss", "2", "-size", "3000"},
			{"-loss", "0", "-rate", "5000", "-size", "4"},
		} {
			o := simulatePackets(t, append(args, "-mode", mode, "-n", "1000")...)
			require.EqualValues(t, 1000, o["sent"])
			require.Zero(t, o["duplicates"], "%s %v", mode, args)
			if slices.Contains([]string{"ordered", "unordered"}, mode) || args[1] == "0" {
				require.EqualValues(t, 1000, o["delivered"], "%s %v", mode, args)
			}
		}
	}
}

func TestPacketsCarryTheLargestMessages(t *testing.T) {
	for _, args := range [][]string{
		{"-mode", "ordered", "-size", "1048576"}, {"-mode", "unordered", "-size", "1048576"}, {"-mode", "unreliable", "-size", "65536"},
	} {
		require.EqualValues(t, 3, simulatePackets(t, append(args, "-n", "3", "-rate", "0.2", "-loss", "0")...)["delivered"], args)
	}
	for _, args := range [][]string{{"-size", "1048577"}, {"-mode", "unreliable", "-size", "65537"}, {"-size", "3"}} {
		require.Equal(t, exitUsage, udpecho(t, append([]string{"sim", "-wire", "secure"}, args...)...).code, args)
	}
}

func TestAcksWaitForTheTick(t *testing.T) {
	at := func(args ...string) float64 {
		return simulatePackets(t, append(args, "-n", "5000")...)["lone_acks"].(float64)
	}
	require.InDelta(t, 5000, at("-loss", "0"), 2, "each message is acked at once")
	require.Zero(t, at("-loss", "0", "-reverse-tick", "-rate", "30"))
}

func TestOneSeedGivesOneRunOnPackets(t *testing.T) {
	args := []string{"-loss", "5", "-jitter", "3ms", "-reverse-tick", "-n", "3000", "-seed"}
	first := simulatePackets(t, append(args, "7")...)
	require.Equal(t, first, simulatePackets(t, append(args, "7")...))
	require.NotEqual(t, first["trace_hash"], simulatePackets(t, append(args, "8")...)["trace_hash"])
}

func TestOutagesHaveAFloorOnPackets(t *testing.T) {
	o := simulatePackets(t, "-loss", "5", "-burst-time", "100ms", "-n", "20000")
	require.GreaterOrEqual(t, o["p99_ms"], o["floor_p99_ms"])
	require.GreaterOrEqual(t, o["p999_ms"], o["floor_p999_ms"])
}

func TestExplanationFollowsTheLatestMessage(t *testing.T) {
	r := udpecho(t, "sim", "-wire", "secure", "-loss", "5", "-n", "1000", "-explain", "-seed", "1-2")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "the latest message of seed 1 is number")
	require.Contains(t, r.out, "the latest message of seed 2 is number")
	require.Regexp(t, `    0\.000  client  sent       message`, r.out)
	require.Contains(t, r.out, "repaired")
	require.Contains(t, r.out, "host    received")
}

func TestMessagesAreRebuiltFromParity(t *testing.T) {
	args := []string{"-loss", "2", "-rate", "60", "-budget", "1.3", "-n", "20000"}
	o := simulatePackets(t, args...)
	require.EqualValues(t, 20000, o["delivered"])
	require.Greater(t, o["xors"], 6000.0)
	require.Greater(t, o["rebuilt"], 250.0, "most of 400 that are lost")
	require.Less(t, o["p99_ms"], 65.0)
	require.LessOrEqual(t, o["bytes_ratio"], 1.3)
	r := udpecho(t, append([]string{"sim", "-wire", "secure", "-explain"}, args...)...)
	require.Contains(t, r.out, "lost ones rebuilt from it")
	require.Regexp(t, `client  covered    message \d+`, r.out)
}

func TestExplanationTellsARebuiltMessage(t *testing.T) {
	c := chapter{"host", reliable.TraceEvent{At: 42e6, Kind: reliable.TraceRebuilt, Seq: 7}}
	require.Equal(t, "   42.000  host    rebuilt    message 7, from parity\n", c.line(0))
}

func TestRunOnPacketsWhoseConnectionBreaksReportsAndFails(t *testing.T) {
	r := udpecho(t, "sim", "-wire", "secure", "-loss", "100", "-n", "1000", "-json")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "the connection ended after")
	require.Contains(t, r.err, "timed out")
	require.Contains(t, r.err, "never arrived")
	require.EqualValues(t, 0, r.object(t)["delivered"])
}

func TestSimulatedPacketsAreSealedByTheSecureProtocol(t *testing.T) {
	client, host, err := shakeHands([32]byte{1}, [32]byte{2})
	require.NoError(t, err)
	message := []byte("\x04nobody else can read this")
	there, back := client.Seal(nil, message, 0), host.Seal(nil, message, 0)
	for _, d := range [][]byte{there, back} {
		require.Len(t, d, len(message)+frames.SealOverhead)
		require.NotContains(t, string(d), string(message[1:]))
	}
	packet, number, drop := host.Open(nil, there, -1)
	require.Equal(t, framing.Accepted, drop)
	require.Zero(t, number, "the endpoints count from 0")
	require.Equal(t, message, packet)
	packet, number, drop = client.Open(nil, back, -1)
	require.Equal(t, framing.Accepted, drop)
	require.Zero(t, number)
	require.Equal(t, message, packet)
	there = client.Seal(nil, message, 1)
	there[len(there)-1] ^= 1
	_, _, drop = host.Open(nil, there, 0)
	require.Equal(t, framing.DropAuth, drop)
}

func TestLoneAckHoldsNothingElse(t *testing.T) {
	build := func(more ...func(*frames.Builder)) []byte {
		var b frames.Builder
		b.Reset(nil, frames.MaxPacket)
		for _, f := range more {
			f(&b)
		}
		return b.Bytes()
	}
	ack := func(b *frames.Builder) { b.AppendAck(frames.Ack{Largest: 7}) }
	clock := func(b *frames.Builder) { b.AppendClock(frames.Clock{Time: 1}) }
	message := func(b *frames.Builder) { b.AppendUnreliable(frames.Unreliable{Payload: []byte("x")}) }
	require.True(t, isLoneAck(build(ack)))
	require.True(t, isLoneAck(build(ack, clock)))
	require.False(t, isLoneAck(build(ack, message)))
	require.False(t, isLoneAck(build(clock)))
	require.False(t, isLoneAck(build(ack, func(b *frames.Builder) { b.AppendHeartbeat() })))
}
