package secure

import (
	"testing"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/rate"
)

func BenchmarkForgedPacket(b *testing.B) {
	client, host := pair()
	d, plain := client.Seal(nil, make([]byte, 1172), 1), make([]byte, 0, 1200)
	d[1196] ^= 1
	b.ReportAllocs()
	for b.Loop() {
		host.Open(plain, d, -1)
	}
}

func BenchmarkHello(b *testing.B) {
	m := meet(b, nil)
	d, answer := handshake.AppendHello(nil, handshake.Asker{ID: 1}), make([]byte, 0, 1200)
	b.ReportAllocs()
	for b.Loop() {
		m.now += 20_000
		if _, drop := m.host.Handle(m.now, m.unix, answer, d, clientAddr); drop != framing.Accepted {
			b.Fatal(drop)
		}
	}
}

func BenchmarkAuthWithABadCookie(b *testing.B) {
	m := meet(b, nil)
	d := m.auth()
	d[30] ^= 1
	b.ReportAllocs()
	for b.Loop() {
		m.host.strangers = rate.Full
		if _, drop := m.host.Handle(m.now, m.unix, nil, d, clientAddr); drop != framing.DropCookie {
			b.Fatal(drop)
		}
	}
}

// BenchmarkJoinAtTheHost is what a host computes for one join, without the packet that confirms it.
func BenchmarkJoinAtTheHost(b *testing.B) {
	m := meet(b, nil)
	d := m.auth()
	b.ReportAllocs()
	for b.Loop() {
		m.host.attempts, m.host.exchanges, m.host.strangers = rate.NewSources(attemptsLimit, [16]byte{}), rate.Full, rate.Full
		m.host.unconfirmed.rows = nil
		if _, drop := m.host.Handle(m.now, m.unix, nil, d, clientAddr); drop != framing.Accepted {
			b.Fatal(drop)
		}
	}
}

// BenchmarkJoinAtTheClient is what a client computes for one Auth and its answer, with keys that it has.
func BenchmarkJoinAtTheClient(b *testing.B) {
	m := meet(b, nil)
	challenge := m.ask()
	d, accept := []byte(nil), []byte(nil)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		m.client = m.newClient(m.client.cfg)
		m.client.HandleDatagram(m.now, challenge)
		d = m.client.PollDatagram(m.now, d[:0])
		m.host.attempts, m.host.exchanges, m.host.strangers = rate.NewSources(attemptsLimit, [16]byte{}), rate.Full, rate.Full
		accept, _ = m.host.Handle(m.now, m.unix, accept[:0], d, clientAddr)
		again := m.newClient(m.client.cfg)
		b.StartTimer()

		again.HandleDatagram(m.now, challenge)
		again.PollDatagram(m.now, d[:0])
		if drop := again.HandleDatagram(m.now, accept); drop != framing.Accepted {
			b.Fatal(drop)
		}
	}
}
