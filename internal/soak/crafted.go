package soak

import (
	"encoding/binary"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/udp"
)

// crafted are datagrams for a host that look like something, and are wrong in one thing.
var crafted = []func(d dice) []byte{
	func(dice) []byte { return connect("") },
	func(dice) []byte { return connect(string(make([]byte, 40))) },
	func(dice) []byte { return connect("HRD\x00LOCAL") },
	func(dice) []byte { return append(framing.AppendConnect(nil, framing.BaseVersion), 0) },
	func(dice) []byte { return framing.AppendConnect(nil, "HRD-LOCAL-9") },
	func(dice) []byte { return framing.AppendAccept(nil, 5) },
	func(d dice) []byte { b := hello(d); b[4] ^= 1; return b },     // version
	func(d dice) []byte { b := hello(d); b[1000] = 1; return b },   // padding
	func(d dice) []byte { return hello(d)[:1199] },                 // size
	func(d dice) []byte { return auth(d, 600) },                    // length of the token
	func(d dice) []byte { return auth(d, 100) },                    // cookie
	func(d dice) []byte { b := auth(d, 100); b[4] ^= 1; return b }, // version
}

func connect(version string) []byte {
	return append(binary.LittleEndian.AppendUint16([]byte{byte(framing.KindConnect)}, uint16(len(version))), version...)
}

func asker(d dice) (a handshake.Asker) {
	a.ID = 1
	d.source.Read(a.Random[:])
	return a
}

func hello(d dice) []byte { return handshake.AppendHello(nil, asker(d)) }

// auth is an Auth with a cookie and a token of nobody, that says how long the token is.
func auth(d dice, token uint16) []byte {
	var cookie [handshake.CookieSize]byte
	d.source.Read(cookie[:])
	b := handshake.AppendAuthHead(nil, asker(d), &cookie, nil)
	binary.LittleEndian.PutUint16(b[len(b)-2:], token)
	rest := make([]byte, 700)
	d.source.Read(rest)
	return append(b, rest...)
}

// craft sends what looks right to the host in the name of nobody, and what does no harm in the name of players of the base protocol and to them.
func craft(w *world, f *Fault) {
	s, d := &w.strangers, w.dice
	for range f.Size {
		s.node.Forge(crafted[d.below(len(crafted))](d), s.someone(), w.hostAddr())
	}
	s.node.Forge(framing.AppendConnect(nil, framing.BaseVersion), netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 9}), 999), w.hostAddr())
	for _, p := range w.players {
		if at, ok := w.outside(p); ok && p.plan.protocol == udp.Base {
			w.craftFor(p, at)
		}
	}
}

// craftFor speaks in the name of a player of the base protocol, and of its host, as far as that must change nothing.
func (w *world) craftFor(p *player, at netip.AddrPort) {
	s := &w.strangers
	s.node.Forge([]byte{byte(framing.KindRefuse), 2, 0, 0xFF, 0xFE}, w.hostAddr(), at)
	s.node.Forge(framing.AppendAccept(nil, 0), w.hostAddr(), at)
	if !p.end.up || p.end.over {
		return
	}
	s.node.Forge(framing.AppendRefuse(nil, "no"), w.hostAddr(), at)
	for _, way := range [][2]netip.AddrPort{{at, w.hostAddr()}, {w.hostAddr(), at}} {
		s.node.Forge(framing.AppendReliable(nil, 1<<30, []byte("far")), way[0], way[1])
		s.node.Forge(framing.AppendAck(nil, 1<<30), way[0], way[1])
	}
}

// flood asks for many sessions at once, in the name of nobody.
func flood(w *world, f *Fault) {
	at := w.strangers.someone()
	for range f.Size {
		w.strangers.node.Forge(framing.AppendConnect(nil, framing.BaseVersion), at, w.hostAddr())
		w.strangers.node.Forge(hello(w.dice), at, w.hostAddr())
	}
}

// beginHijack makes a stranger faster than the network: it forwards what a player sends from an address of its own.
func beginHijack(w *world, f *Fault) {
	w.strangers.hijacked = w.players[f.Player]
	until := w.nw.Now() + int64(f.For) // whatever is replayed meanwhile makes round trips shorter than they can be
	w.host.moved = max(w.host.moved, until)
	for _, p := range w.players {
		p.moved = max(p.moved, until)
	}
	w.nw.SetBoth(w.strangers.node, w.host.node, instant)
}

func endHijack(w *world, f *Fault) {
	w.strangers.hijacked = nil
	w.nw.SetBoth(w.strangers.node, w.host.node, w.strangersLink())
}
