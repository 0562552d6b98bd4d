package workload

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/sim/proxy"
)

// relay is a path between clients and a host.
type relay struct {
	*proxy.Proxy
	since proxy.Counts // what had passed when the measurement began
	began int64
}

// ipHeaders are those of IPv4 and UDP, which count as bytes on the wire.
const ipHeaders = 28

// newRelay starts a path to a host. Both directions are as up and down say, and everything random on it comes from the seed and the name of the case.
func newRelay(to string, r Run, name string, up, down sim.Conditions) (*relay, error) {
	p, err := proxy.New(proxy.Config{Listen: "127.0.0.1:0", To: to, Up: up, Down: down, Seed: r.seedOf(name)})
	if err != nil {
		return nil, err
	}
	go p.Run()
	return &relay{Proxy: p}, nil
}

// begin forgets what has passed.
func (r *relay) begin() { r.since, r.began = r.Counts(), measure.Now() }

// sent gives the datagrams and bytes that were sent each way since begin, headers included.
func (r *relay) sent() (up, down traffic) {
	now := r.Counts()
	return trafficBetween(r.since.Up, now.Up), trafficBetween(r.since.Down, now.Down)
}

// traffic is what was sent in one direction.
type traffic struct{ packets, bytes float64 }

func trafficBetween(before, after sim.Counts) traffic {
	packets := float64(after.Sent - before.Sent)
	return traffic{packets, float64(after.SentBytes-before.SentBytes) + packets*ipHeaders}
}

// seedOf gives a seed for each name.
func (r Run) seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte(name), r.Seed))
	return h.Sum64()
}

// badPeriods loses datagrams by time: a twentieth of it lies in bad periods of 50 ms in the mean, in which 80 % are lost; 0.5 % are otherwise. When they are
// follows from the seed alone and begins now, so every stack meets the same. It serves one direction. now gives the time in nanoseconds.
func badPeriods(seed, direction uint64, now func() int64) func([]byte) bool {
	const bad, good = 50 * time.Millisecond, 950 * time.Millisecond
	periods, draws := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1+direction))
	began, isBad := now(), true
	var end int64
	return func([]byte) bool {
		for at := now() - began; end <= at; {
			isBad = !isBad
			mean := good
			if isBad {
				mean = bad
			}
			end += int64(periods.ExpFloat64() * float64(mean))
		}
		if isBad {
			return draws.Float64() < 0.8
		}
		return draws.Float64() < 0.005
	}
}
