package replay

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/golden"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

const (
	goldenSeed = 1
	players    = 8
)

func TestOneSeedIsOneRun(t *testing.T) {
	for _, row := range []struct {
		protocol udp.Protocol
		golden   string
		runs     int
	}{{udp.Base, "run.txt", 50}, {udp.Secure, "secure.txt", 10}} {
		t.Run(row.protocol.String(), func(t *testing.T) {
			want := newGame(row.protocol, goldenSeed, players).run()
			golden.Equal(t, row.golden, want)

			runs := row.runs
			if testing.Short() {
				runs = 4
			}
			for _, processors := range []int{1, 2} {
				for _, got := range besideOthers(row.protocol, processors, runs/2) {
					require.Equal(t, want, got, "with GOMAXPROCS %d", processors)
				}
			}
		})
	}
}

// besideOthers plays the golden seed a number of times on so many processors, two at a time and with runs of other seeds beside them.
func besideOthers(protocol udp.Protocol, processors, times int) []string {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	got := make([]string, times)
	var wg sync.WaitGroup
	for lane := range 2 {
		wg.Go(func() {
			for i := lane; i < times; i += 2 {
				got[i] = newGame(protocol, goldenSeed, players).run()
			}
		})
	}
	wg.Go(func() {
		for i := range (times + 4) / 5 {
			newGame(protocol, uint64(1000+i), players).run()
		}
	})
	wg.Wait()
	return got
}

func TestAnotherSeedIsAnotherRun(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(4) {
		g := newGame(udp.Base, goldenSeed+seed, players)
		g.run()
		require.NoError(t, g.nw.Audit())
		seen[g.nw.TraceHash()] = true
	}
	require.Len(t, seen, 4)
}

// The peer id in an Accept is left out: ids are handed out in the order of joining, which is the one thing that peers share.
func TestAnIdleNinthPeerShiftsNothingOfTheOthers(t *testing.T) {
	eight := newGame(udp.Base, goldenSeed, players)
	without := eight.watch()
	eight.run()

	nine := newGame(udp.Base, goldenSeed, players)
	idler := newPlayer(nine, "idler")
	idler.idle = true
	nine.join(idler)
	with := nine.watch()
	nine.run()

	require.Equal(t, 1, idler.seen.connected)
	require.Len(t, without, 2*players)
	require.Len(t, with, 2*players+2)
	for link, h := range without {
		require.Equal(t, h.Sum64(), with[link].Sum64(), "from %s to %s", link.from, link.to)
	}
}

type link struct{ from, to string }

// watch hashes everything that happens on each link from now on.
func (g *game) watch() map[link]hash.Hash64 {
	hashes := map[link]hash.Hash64{}
	g.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Noted {
			return
		}
		l := link{e.From.Name(), e.To.Name()}
		if hashes[l] == nil {
			hashes[l] = fnv.New64a()
		}
		b := binary.LittleEndian.AppendUint64(nil, uint64(e.Time))
		b = append(b, byte(e.Kind), byte(e.Drop))
		hashes[l].Write(append(b, withoutID(e.Payload)...))
	})
	return hashes
}

// withoutID cuts the id off an Accept.
func withoutID(d []byte) []byte {
	if len(d) == 2 && d[0] == 2 {
		return d[:1]
	}
	return d
}
