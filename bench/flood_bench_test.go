package bench

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gannet-net/gannet/reliable"
)

// flood is one direction of a connection that sends as much as the other side takes, with nothing between them but a call.
type flood struct {
	*duo
	options reliable.SendOptions
	sent    int
	arrived int
	waiting [][]byte
	packets int
}

// turn sends until the queue is full, and hands over what may leave, and the answers.
func (f *flood) turn() {
	for f.client.Send(f.now, f.payload, f.options) == nil {
		f.sent++
	}
	f.now += 50_000
	for {
		f.buf = f.client.PollDatagram(f.now, f.buf[:0])
		if len(f.buf) == 0 {
			break
		}
		f.packets++
		f.host.HandleDatagram(f.now, f.buf)
		f.arrived += f.drained(f.host)
	}
	f.now += 20_000
	for {
		f.buf = f.host.PollDatagram(f.now, f.buf[:0])
		if len(f.buf) == 0 {
			break
		}
		f.client.HandleDatagram(f.now, f.buf)
		f.drained(f.client)
	}
}

func (f *flood) drained(e *reliable.Endpoint) (messages int) {
	for {
		ev, ok := e.PollEvent()
		if !ok {
			return messages
		}
		if ev.Kind == reliable.EventMessage {
			messages++
			e.Recycle(ev.Payload)
		}

	}
}

var errNothingMoves = errors.New("nothing moves")

// What a message costs both sides and its acks, when as much is sent as fits.
func BenchmarkFlood(b *testing.B) {
	for _, size := range []int{64, 1024, 65536} {
		for _, class := range []reliable.Class{reliable.ClassGame, reliable.ClassBulk} {
			b.Run(fmt.Sprintf("%d/%v", size, class), func(b *testing.B) {
				d := newPacketDuo(func(c *reliable.Config) { c.Channels = []reliable.Channel{{Class: class}} })
				f := &flood{duo: d, options: reliable.SendOptions{Mode: reliable.ReliableOrdered}}
				f.payload = make([]byte, size)
				b.ReportAllocs()
				for f.arrived < b.N {
					was := f.arrived
					f.turn()
					if f.arrived == was && f.packets == 0 {
						b.Fatal(errNothingMoves)
					}
				}
				b.ReportMetric(float64(f.packets)/float64(f.arrived), "packets/message")
			})
		}
	}
}
