package reliable

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing/packet"
)

// heapBytes is what was allocated so far.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

// liveBytes is what is in use.
func liveBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// perEndpoint gives the bytes that each of many endpoints with one pool takes once use has used them.
func perEndpoint(use func(a, b *Endpoint)) int64 {
	const pairs = 500
	pool := new(Pool)
	ends := make([]*Endpoint, 0, 2*pairs)
	before := liveBytes()
	for range pairs {
		a, b := New(start, Config{Sealer: nullSealer{}, Pool: pool}), New(start, Config{Sealer: nullSealer{}, Pool: pool})
		use(a, b)
		ends = append(ends, a, b)
	}
	after := liveBytes()
	runtime.KeepAlive(ends)
	return (after - before) / (2 * pairs)
}

func TestIdleEndpointTakesAtMostTwoKilobytes(t *testing.T) {
	idle := perEndpoint(func(a, b *Endpoint) {
		for i := range int64(3) {
			pass(a, b, start+i*int64(time.Second), true)
		}
	})
	t.Logf("%d bytes", idle)
	require.LessOrEqual(t, idle, int64(2048))
}

func TestActiveEndpointTakesAtMostEightKilobytes(t *testing.T) {
	active := perEndpoint(exchangeMuch)
	t.Logf("%d bytes", active)
	require.LessOrEqual(t, active, int64(8192))
	keeping := perEndpoint(func(a, b *Endpoint) {
		exchangeMuch(a, b)
		for _, e := range [...]*Endpoint{a, b} {
			e.takeXor(e.now, &packet.Xor{Count: 2, Parity: []byte{0}}) // from now on messages are kept
			if e.packets.recent == nil {
				t.Fatal("no message will be kept")
			}
		}
	})
	t.Logf("%d bytes where Xors come", keeping)
	require.LessOrEqual(t, keeping, int64(8192))
}

// exchangeMuch lets two endpoints exchange messages, of which some come late, and have 16 that are not acked.
func exchangeMuch(a, b *Endpoint) {
	now := start
	text := make([]byte, 64)
	for i := range 100 {
		for _, e := range [...]*Endpoint{a, b} {
			_ = e.Send(now, text, SendOptions{Mode: ReliableOrdered})
			_ = e.Send(now, text, SendOptions{Mode: Unreliable})
		}
		pass(a, b, now, i%10 != 3)
		now += int64(20 * ms)
	}
	for range 16 {
		for _, e := range [...]*Endpoint{a, b} {
			_ = e.Send(now, text, SendOptions{Mode: ReliableOrdered})
			e.PollDatagram(now, nil)
		}
		now += int64(ms)
	}
}

// pass moves what both sides send to the other side, or nowhere, and reads.
func pass(a, b *Endpoint, now int64, arrives bool) {
	for range 4 {
		for _, way := range [...][2]*Endpoint{{a, b}, {b, a}} {
			for d := way[0].PollDatagram(now, nil); len(d) > 0; d = way[0].PollDatagram(now, nil) {
				if arrives {
					way[1].HandleDatagram(now, d)
				}
			}
			for ev, ok := way[1].PollEvent(); ok; ev, ok = way[1].PollEvent() {
				way[1].Recycle(ev.Payload)
			}
		}
		now += int64(3 * ms)
	}
}

// exchange is one message each way, and all that it causes.
type exchange struct {
	a, b *Endpoint
	now  int64
	buf  []byte
}

func newExchange() *exchange {
	pool := new(Pool)
	return &exchange{
		a: New(start, Config{Sealer: nullSealer{}, Pool: pool, Loopback: true}), b: New(start, Config{Sealer: nullSealer{}, Pool: pool, Loopback: true}),
		now: start, buf: make([]byte, 0, 2048),
	}
}

func (x *exchange) run(t *testing.T, text []byte, o SendOptions) {
	for _, e := range [...]*Endpoint{x.a, x.b} {
		if err := e.Send(x.now, text, o); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for _, way := range [...][2]*Endpoint{{x.a, x.b}, {x.b, x.a}} {
			for d := way[0].PollDatagram(x.now, x.buf); len(d) > 0; d = way[0].PollDatagram(x.now, x.buf) {
				way[1].HandleDatagram(x.now, d)
			}
			for ev, ok := way[1].PollEvent(); ok; ev, ok = way[1].PollEvent() {
				way[1].Recycle(ev.Payload)
			}
		}
		x.now += int64(4 * ms)
	}
}

func TestMessagesAllocateNothingInTheSteadyState(t *testing.T) {
	for mode := range Mode(modes) {
		for _, size := range []int{0, 64, 1100, 5000, 60_000} {
			x, text := newExchange(), []byte(strings.Repeat("x", size))
			o := SendOptions{Mode: mode, TTL: time.Second, ReplaceKey: 5}
			if size < 10_000 { // beyond, more wait for their outcome than the pool keeps for reuse
				o.Receipt = 1
			}
			for range 1000 {
				x.run(t, text, o)
			}
			allocs := testing.AllocsPerRun(200, func() { x.run(t, text, o) })
			require.Zero(t, allocs, "mode %d, %d bytes", mode, size)
			require.Greater(t, x.b.Stats().MessagesReceived, uint64(1000))
		}
	}
}

func TestRepairsAllocateNothingInTheSteadyState(t *testing.T) {
	x, text, n := newExchange(), make([]byte, 64), 0
	step := func() {
		for _, e := range [...]*Endpoint{x.a, x.b} {
			_ = e.Send(x.now, text, SendOptions{Mode: ReliableOrdered, Urgent: n%5 == 0})
		}
		for range 4 {
			for _, way := range [...][2]*Endpoint{{x.a, x.b}, {x.b, x.a}} {
				for d := way[0].PollDatagram(x.now, x.buf); len(d) > 0; d = way[0].PollDatagram(x.now, x.buf) {
					if n++; n%11 > 1 {
						way[1].HandleDatagram(x.now, d)
					}
				}
				for ev, ok := way[1].PollEvent(); ok; ev, ok = way[1].PollEvent() {
					way[1].Recycle(ev.Payload)
				}
			}
			x.now += int64(5 * ms)
		}
	}
	for range 20_000 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(2000, step))
	require.Positive(t, x.a.Stats().Repairs)
}
