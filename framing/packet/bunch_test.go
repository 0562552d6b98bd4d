package packet

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABunchGivesItsMessagesBackInOrder(t *testing.T) {
	var bunch []byte
	for _, n := range []int{0, 127, 128, 1, MaxPacket} {
		before := len(bunch)
		bunch = AppendBunched(bunch, repeat(n, byte(n)))
		require.Equal(t, BunchedSize(n), len(bunch)-before)
	}
	for _, n := range []int{0, 127, 128, 1, MaxPacket} {
		var payload []byte
		payload, bunch = Unbunch(bunch)
		require.Equal(t, string(repeat(n, byte(n))), string(payload))
	}
	require.Empty(t, bunch)
}

// A bunch in a packet is what its messages would be, appended one by one while they have room, and so is what is appended behind it.
func TestABunchFillsAPacketAsItsMessagesDo(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	some := func(n int) int { return r.IntN(n + 1) }
	fronts := make(map[string]int)
	for range 20_000 {
		stream, seq, limit := StreamOf(uint8(some(1)*5), Ordered), uint16(r.Uint32()), 20+some(MaxPacket-20)
		var bunch []byte
		var sizes []int
		for range 1 + some(40) {
			sizes = append(sizes, some([]int{3, 100, 200}[some(2)]))
			bunch = AppendBunched(bunch, repeat(sizes[len(sizes)-1], byte(len(sizes))))
		}
		messages, payload := some(len(sizes)+2), some(3000)
		var whole, single Builder
		before := some(1) * (MaxFrames - 10)
		for _, b := range []*Builder{&whole, &single} {
			b.Reset(nil, limit)
			for range before {
				b.AppendHeartbeat()
			}
		}

		front := whole.AppendBunch(stream, seq, bunch, messages, payload)

		var want Bunched
		for i, n := range sizes {
			if i == messages || want.Payload+n > payload {
				break
			}
			if ok, _ := single.AppendWhole(stream, seq+uint16(i), repeat(n, byte(i+1)), -1); !ok {
				fronts["the packet is full"]++
				break
			}
			want = Bunched{i + 1, want.Size + BunchedSize(n), want.Payload + n, n}
		}
		require.Equal(t, want, front)
		fronts[map[bool]string{true: "all", false: "a part"}[front.Messages == len(sizes)]]++
		for _, b := range []*Builder{&whole, &single} {
			b.AppendWhole(stream, seq+uint16(front.Messages), []byte("behind"), -1)
		}
		require.Equal(t, single, whole)
	}
	require.Len(t, fronts, 3)
	for what, times := range fronts {
		require.Greater(t, times, 1000, what)
	}
}
