package udp_test

import (
	"crypto/aes"
	"crypto/cipher"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// Bulk over loopback, both ends on one goroutine, so that times are of one core. The bare loops seal, send, read and open the same datagrams with
// the same calls of the system, and have no protocol: compare MB/s, which are of what messages hold, or cpu-ns/op by the bytes of an op.
func BenchmarkFlood(b *testing.B) {
	for _, bare := range []struct {
		name string
		runs bool
	}{{"bare single and sealed", false}, {"bare runs and sealed", true}} {
		b.Run(bare.name, func(b *testing.B) { bareFlood(b, bare.runs) })
	}
	for _, size := range []int{64, 1 << 10, 64 << 10} {
		for _, mode := range []udp.OffloadMode{udp.OffloadOff, udp.OffloadAuto} {
			b.Run(sizeName(size)+" offload "+mode.String(), func(b *testing.B) { flood(b, size, mode) })
		}
	}
}

func sizeName(size int) string {
	return map[int]string{64: "64 B", 1 << 10: "1 KiB", 64 << 10: "64 KiB"}[size]
}

func flood(b *testing.B, size int, mode udp.OffloadMode) {
	config := udp.Config{Driving: udp.GameLoop, Offload: mode, SendQueueMessages: 8192, UnreadMessages: 16 << 10}
	h := listen(b, config)
	client := dial(b, h, config)
	for client.ID() == 0 || len(h.Conns()) == 0 {
		for _, d := range []driver{h, client} {
			d.Poll()
			d.Next()
			d.Flush()
		}
	}
	payload, got := make([]byte, size), 0
	turn := func() {
		for client.Sendable() > 1<<20 && client.Send(payload, ordered) == nil {
		}
		client.Flush()
		h.Poll()
		for ev, ok := h.Next(); ok; ev, ok = h.Next() {
			if ev.Kind == transport.Message {
				got++
			}
		}
		h.Flush()
		client.Poll()
		client.Next()
	}
	for got < 1000 {
		turn()
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	before, n := client.HostStats(), got
	cpuTime(b, func() {
		for n++; got < n; {
			turn()
		}
	})
	after, peer := client.HostStats(), h.Stats()
	if mode == udp.OffloadAuto && after.SendOffload != udp.OffloadActive {
		b.Log("offload: ", after.SendOffload)
	}
	report := func(value uint64, of uint64, unit string) {
		if of > 0 {
			b.ReportMetric(float64(value)/float64(of), unit)
		}
	}
	report(after.JoinedSent-before.JoinedSent, after.RunsSent-before.RunsSent, "a-run")
	report(after.JoinedSent-before.JoinedSent, after.DatagramsSent-before.DatagramsSent, "joined")
	report(after.DatagramsSent-before.DatagramsSent, after.Writes-before.Writes, "a-write")
	report(client.Stats().PacketsLost, client.Stats().DatagramsSent, "lost")
	report(peer.DatagramsReceived, peer.Reads, "a-read")
	report(after.BytesSent-before.BytesSent, after.DatagramsSent-before.DatagramsSent, "B/datagram")
}

// bareFlood sends batches of datagrams of 1200 bytes, one run or single ones, and reads them again.
func bareFlood(b *testing.B, runs bool) {
	there, err := udp.SystemSocket("127.0.0.1:0")
	require.NoError(b, err)
	back, err := udp.SystemSocket("127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { there.Close(); back.Close() })
	in, ok := there.(udp.RunSocket)
	if !ok {
		b.Skip("one datagram a call")
	}
	out := back.(udp.RunSocket)
	const segment, batch = 1200, 54
	messages, slots, slot := batch, 64, 1201
	if runs {
		require.True(b, in.JoinReads(true))
		messages, slots, slot = 1, 4, 64<<10
	}
	p, sizes, segments := make([]byte, segment*batch), make([]int, messages), make([]int, messages)
	to, from := make([]netip.AddrPort, messages), make([]netip.Addr, messages)
	for i := range messages {
		sizes[i], segments[i], to[i] = len(p)/messages, segment, there.LocalAddr()
	}
	slab, gotSizes, gotSegments := make([]byte, slots*slot), make([]int, slots), make([]int, slots)
	gotFrom, gotAt := make([]netip.AddrPort, slots), make([]netip.Addr, slots)
	aead, nonce, opened := bareCipher(b), make([]byte, 12), 0
	b.SetBytes((segment - bareOverhead) * batch)
	b.ReportAllocs()
	cpuTime(b, func() {
		for i := range batch {
			d := p[i*segment:][:segment]
			aead.Seal(d[:0], nonce, d[:segment-aead.Overhead()], nil)
		}
		n, err := out.WriteBatch(p, sizes, segments, to, from)
		if n != messages {
			b.Fatal(n, err)
		}
		for opened = 0; opened < batch; {
			n, err := in.ReadBatch(slab, gotSizes, gotSegments, gotFrom, gotAt, false)
			if err != nil {
				b.Fatal(err)
			}
			for i := range n {
				for d := slab[i*slot:][:gotSizes[i]]; len(d) > 0; d = d[min(segment, len(d)):] {
					if _, err := aead.Open(d[:0], nonce, d[:min(segment, len(d))], nil); err != nil {
						b.Fatal(err)
					}
					opened++
				}
			}
		}
	})
}

// bareOverhead is what a datagram of the bare loops holds beside a message: a head of nine bytes and the tag.
const bareOverhead = 9 + 16

// bareCipher is the cipher that gannet uses.
func bareCipher(b *testing.B) cipher.AEAD {
	block, err := aes.NewCipher(make([]byte, 32))
	require.NoError(b, err)
	aead, err := cipher.NewGCM(block)
	require.NoError(b, err)
	return aead
}

// cpuTime repeats once, and reports the time of a processor that it took.
func cpuTime(b *testing.B, once func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	for b.Loop() {
		once()
	}
	b.ReportMetric(float64((threadTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// What one tick of a host costs, in time of a processor: 41 bytes from each of 200 clients, and to each of them. The time of the clients is not in host-ns/msg, so compare
// it. The bare hosts know no clients but their addresses; one of them seals and opens.
func BenchmarkTickOfAHost(b *testing.B) {
	const clients = 200
	b.Run("bare, one by one", func(b *testing.B) {
		host, payload, buf := bareUDP(b), make([]byte, 41), make([]byte, 1200)
		to := make([]netip.AddrPort, clients)
		all := bareClients(b, to)
		addr := host.LocalAddr().(*net.UDPAddr).AddrPort()
		ticks(b, clients, func() {
			for _, c := range all {
				_, _ = c.WriteToUDPAddrPort(payload, addr)
			}
		}, func() {
			for range clients {
				_, _, _ = host.ReadFromUDPAddrPort(buf)
			}
			for _, a := range to {
				_, _ = host.WriteToUDPAddrPort(payload, a)
			}
		}, func() {
			for _, c := range all {
				_, _, _ = c.ReadFromUDPAddrPort(buf)
			}
		})
	})
	b.Run("bare, batches, sealed", func(b *testing.B) {
		sock, err := udp.SystemSocket("127.0.0.1:0")
		require.NoError(b, err)
		b.Cleanup(func() { sock.Close() })
		host, ok := sock.(udp.RunSocket)
		if !ok {
			b.Skip("one datagram a call")
		}
		const size, batch = 41 + bareOverhead, 50
		to, from := make([]netip.AddrPort, clients), make([]netip.Addr, clients)
		all := bareClients(b, to)
		p, sizes := make([]byte, clients*size), make([]int, clients)
		for i := range sizes {
			sizes[i] = size
		}
		slab, gotSizes, gotSegments := make([]byte, batch*1201), make([]int, batch), make([]int, batch)
		gotFrom, gotAt := make([]netip.AddrPort, batch), make([]netip.Addr, batch)
		aead, nonce, buf := bareCipher(b), make([]byte, 12), make([]byte, 1200)
		d := aead.Seal(nil, nonce, make([]byte, size-aead.Overhead()), nil)
		ticks(b, clients, func() {
			for _, c := range all {
				_, _ = c.WriteToUDPAddrPort(d, sock.LocalAddr())
			}
		}, func() {
			for got := 0; got < clients; {
				n, _ := host.ReadBatch(slab, gotSizes, gotSegments, gotFrom, gotAt, false)
				for i := range n {
					_, _ = aead.Open(buf[:0], nonce, slab[i*1201:][:gotSizes[i]], nil)
				}
				got += n
			}
			for i := range clients {
				aead.Seal(p[i*size:][:0], nonce, buf[:size-aead.Overhead()], nil)
			}
			for i := 0; i < clients; i += batch {
				_, _ = host.WriteBatch(p[i*size:], sizes[i:][:batch], sizes[i:][:batch], to[i:][:batch], from[i:][:batch])
			}
		}, func() {
			for _, c := range all {
				_, _, _ = c.ReadFromUDPAddrPort(buf)
			}
		})
	})
	b.Run("gannet", func(b *testing.B) {
		config := udp.Config{Driving: udp.GameLoop}
		h := listen(b, config)
		var all []*udp.Conn
		for range clients {
			c, err := udp.Dial(testContext(b), h.Addr().String(), config)
			require.NoError(b, err)
			all = append(all, c)
		}
		frame := func(d driver) {
			d.Poll()
			for _, ok := d.Next(); ok; _, ok = d.Next() {
			}
			d.Flush()
		}
		turn := func() {
			for _, c := range all {
				frame(c)
			}
		}
		for len(h.Conns()) < clients {
			turn()
			frame(h)
		}
		payload, before := make([]byte, 41), h.Stats()
		ticks(b, clients, func() {
			for _, c := range all {
				_ = c.Send(payload, unreliable)
				c.Flush()
			}
		}, func() {
			h.Poll()
			for _, ok := h.Next(); ok; _, ok = h.Next() {
			}
			_ = h.Broadcast(payload, unreliable)
			h.Flush()
		}, turn)
		after := h.Stats()
		perTick := func(n uint64) float64 { return float64(n) / float64(b.N*clients) }
		b.ReportMetric(perTick(after.DatagramsReceived-before.DatagramsReceived), "read/client")
		b.ReportMetric(perTick(after.DatagramsSent-before.DatagramsSent), "sent/client")
		for _, c := range all {
			c.Abort()
		}
		h.Abort()
		for range 100 {
			turn()
			frame(h)
			time.Sleep(time.Millisecond)
		}
	})
}

func bareClients(b *testing.B, to []netip.AddrPort) (all []*net.UDPConn) {
	for i := range to {
		all = append(all, bareUDP(b))
		to[i] = all[i].LocalAddr().(*net.UDPAddr).AddrPort()
	}
	return all
}

// ticks measures what a host does between the sends of its clients and their reads.
func ticks(b *testing.B, clients int, send, host, read func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var spent time.Duration
	b.ReportAllocs()
	for b.Loop() {
		send()
		began := threadTime()
		host()
		spent += threadTime() - began
		read()
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(2*b.N*clients), "host-ns/msg")
}
