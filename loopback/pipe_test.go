package loopback

import (
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var (
	ordered    = transport.SendOptions{Delivery: transport.ReliableOrdered}
	unreliable = transport.SendOptions{Delivery: transport.Unreliable}
)

// connected makes a pipe that is closed when the test ends.
func connected(t *testing.T, cfg Config) (client, host *Conn) {
	client, host, err := Pipe(cfg)
	require.NoError(t, err)
	t.Cleanup(client.Abort)
	return client, host
}

// read polls c and returns what Next gives, messages by their text and other events by their kind.
func read(c *Conn) (all []string) {
	c.Poll()
	for ev, ok := c.Next(); ok; ev, ok = c.Next() {
		if ev.Kind == transport.Message {
			all = append(all, string(ev.Payload))
		} else {
			all = append(all, ev.Kind.String())
		}
	}
	return all
}

func send(t *testing.T, c *Conn, o transport.SendOptions, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, c.Send([]byte(text), o))
	}
}

func TestPipeSaysWhatIsWrongWithItsConfig(t *testing.T) {
	handler := func(transport.Event) {}
	for _, row := range []struct {
		cfg  Config
		want string
	}{
		{Config{QueueMessages: -1}, "QueueMessages is -1 and must be 1 to 65536"},
		{Config{QueueMessages: 65_537}, "QueueMessages is 65537"},
		{Config{QueueBytes: maxReliable - 1}, "QueueBytes is 1048575 and must be 1048576 to 67108864"},
		{Config{QueueBytes: 64<<20 + 1}, "QueueBytes is 67108865"},
		{Config{Driving: 2}, "Driving 2 does not exist"},
		{Config{Driving: transport.GameLoop, Handler: handler}, "Driving cannot be GameLoop"},
		{Config{Host: &End{transport.GameLoop, handler}}, "Driving cannot be GameLoop"},
	} {
		_, _, err := Pipe(row.cfg)
		require.ErrorContains(t, err, row.want)
	}
}

func TestEndsHaveTheIDThatConfigGives(t *testing.T) {
	client, host := connected(t, Config{})
	require.Equal(t, []uint32{251, 251}, []uint32{client.ID(), host.ID()})
	client, host = connected(t, Config{ID: 77})
	require.Equal(t, []uint32{77, 77}, []uint32{client.ID(), host.ID()})
}

func TestEventsCarryTheTimeOfTheClock(t *testing.T) {
	now := int64(100)
	client, host := connected(t, Config{Driving: transport.GameLoop, Clock: func() int64 { return now }})
	now = 200
	send(t, client, ordered, "hello")
	now = 300
	client.Abort()
	now = 400
	host.Poll()
	for _, at := range []int64{100, 200, 300} {
		ev, ok := host.Next()
		require.True(t, ok)
		require.Equal(t, at, ev.At, ev.Kind.String())
	}
}

func TestOneEndMayBeAGameLoopAndTheOtherNot(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, Host: &End{Driving: transport.Background}})
	send(t, client, ordered, "ping")
	ev, err := host.Receive(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "ping", string(ev.Payload))
	send(t, host, ordered, "pong")
	require.Equal(t, []string{"connected", "pong"}, read(client))
}

func TestNextReturnsWhatWasThereAtThePoll(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop})
	_, ok := host.Next()
	require.False(t, ok, "nothing before the first Poll")
	host.Poll()
	send(t, client, ordered, "after the poll")
	ev, ok := host.Next()
	require.True(t, ok)
	require.Equal(t, transport.Connected, ev.Kind)
	_, ok = host.Next()
	require.False(t, ok)
	require.Equal(t, []string{"after the poll"}, read(host))
}

func TestAppendToALentPayloadCopies(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, Poison: true})
	send(t, client, ordered, "lent")
	host.Poll()
	_, _ = host.Next()
	ev, _ := host.Next()
	longer := append(ev.Payload, '!')
	host.Poll()
	require.Equal(t, "lent!", string(longer))
}

func TestNoTwoMessagesShareABuffer(t *testing.T) {
	sendsTwice := func(cfg Config, read func(host *Conn, n int) []string) {
		client, host := connected(t, cfg)
		read(host, 0)
		for range 3 { // buffers come back with the Poll before the third
			send(t, client, ordered, "a", "b", "c")
			require.Equal(t, []string{"a", "b", "c"}, read(host, 3))
		}
	}
	sendsTwice(Config{Driving: transport.GameLoop}, func(host *Conn, _ int) []string { return read(host) })
	sendsTwice(Config{}, func(host *Conn, n int) (all []string) {
		for range n {
			ev, err := host.Receive(t.Context(), nil)
			require.NoError(t, err)
			all = append(all, string(ev.Payload))
		}
		return all
	})
	got := make(chan string, 3)
	handler := func(ev transport.Event) {
		if ev.Kind == transport.Message {
			got <- string(ev.Payload)
		}
	}
	sendsTwice(Config{Handler: handler}, func(_ *Conn, n int) (all []string) {
		for range n {
			all = append(all, <-got)
		}
		return all
	})
}

func TestReliableSendDoesNotPushOutLossyMessages(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, QueueMessages: 3})
	send(t, client, unreliable, "1", "2", "3")
	require.ErrorIs(t, client.Send([]byte("4"), ordered), transport.ErrQueueFull)
	require.Equal(t, []string{"connected", "1", "2", "3"}, read(host))
	send(t, client, ordered, "4")
	require.Equal(t, []string{"4"}, read(host))
}

func TestLossySendPushesOutTheOldestLossyMessage(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, QueueMessages: 4})
	send(t, client, ordered, "kept 1")
	send(t, client, unreliable, "2", "3")
	send(t, client, ordered, "kept 4")
	send(t, client, unreliable, "5", "6")
	require.Equal(t, []string{"connected", "kept 1", "kept 4", "5", "6"}, read(host))
}

func TestLossySendPushesOutNothingInVain(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, QueueBytes: maxReliable})
	require.NoError(t, client.Send(make([]byte, maxReliable-100), ordered))
	send(t, client, unreliable, "small")
	require.ErrorIs(t, client.Send(make([]byte, 101), unreliable), transport.ErrQueueFull)
	host.Poll()
	_, _ = host.Next()
	_, _ = host.Next()
	ev, ok := host.Next()
	require.True(t, ok)
	require.Equal(t, "small", string(ev.Payload))
}

func TestDeliveredMessagesAreNotPushedOut(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, QueueMessages: 2})
	send(t, client, transport.SendOptions{Receipt: 1}, "with receipt")
	send(t, client, unreliable, "without", "newer")
	require.Equal(t, []string{"connected", "with receipt", "newer"}, read(host))
	require.Equal(t, []string{"connected", "outcome"}, read(client))
}

func TestQueueIsFullAtItsLimitOfBytes(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop})
	require.Equal(t, 2<<20, client.Sendable())
	require.NoError(t, client.Send(make([]byte, 1<<20), ordered))
	require.Equal(t, 1<<20, client.Sendable())
	require.NoError(t, client.Send(make([]byte, 1<<20), ordered))
	require.Zero(t, client.Sendable())
	require.ErrorIs(t, client.Send(nil, ordered), transport.ErrQueueFull)
	read(host)
	require.Equal(t, 2<<20, client.Sendable())
}

func TestQueueIsFullAtItsLimitOfMessages(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop})
	for range 4096 {
		require.NoError(t, client.Send(nil, ordered))
	}
	require.Zero(t, client.Sendable())
	require.ErrorIs(t, client.Send(nil, ordered), transport.ErrQueueFull)
	require.Len(t, read(host), 1+4096)
	require.NoError(t, client.Send(nil, ordered))
}

func TestBadOptionsAreNamed(t *testing.T) {
	client, _ := connected(t, Config{})
	require.EqualError(t, client.Send(nil, transport.SendOptions{Delivery: 5}),
		"loopback: delivery mode 5 does not exist")
	require.EqualError(t, client.Send(nil, transport.SendOptions{Channel: 64}),
		"loopback: channel 64 does not exist: channels are 0 to 63")
	require.Zero(t, client.MaxPayload(5))
}

func TestCloseGivesBackWhatWasUnread(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop})
	for range 10 {
		require.NoError(t, client.Send(make([]byte, 100), ordered))
		require.NoError(t, client.Send(make([]byte, 100), unreliable))
	}
	require.NoError(t, host.Close())
	require.Equal(t, 20*128, host.pipe.pool.kept)
	require.Zero(t, client.sent.messages)
	require.Zero(t, client.sent.bytes)
	require.Equal(t, []string{"connected", "disconnected"}, read(host))
}

func TestLentPayloadOutlivesClose(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop, Poison: true})
	send(t, client, ordered, "lent", "unread")
	host.Poll()
	_, _ = host.Next()
	ev, _ := host.Next()
	host.Abort()
	client.Abort()
	require.Equal(t, "lent", string(ev.Payload))
	require.Equal(t, []string{"disconnected"}, read(host))
}

func TestKickTellsThePeerWhy(t *testing.T) {
	client, host := connected(t, Config{})
	host.Kick(42, "no shouting")
	require.Equal(t, &transport.DisconnectError{Cause: transport.ClosedByPeer, Code: 42, Text: "no shouting"}, client.Err())
}
