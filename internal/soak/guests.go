package soak

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// guestStays is how long who got in as a guest stays.
const guestStays = int64(1e9)

// guest is somebody who dials without being one of the players, most often with something that the host does not take.
type guest struct {
	w      *world
	m      machine
	name   string
	conn   *udp.Conn
	leaves int64
	detach func()
}

// invitation is what a guest comes with.
type invitation struct {
	name  string
	plain bool // to hosts that speak the base protocol alone as well
	bring func(w *world, c *udp.Config)
}

var tokenKey = secure.TokenKey{ID: 7, Key: secure.Secret{7}}

var hostName = [16]byte{'s', 'o', 'a', 'k'}

var invitations = []invitation{
	{"nothing", false, func(*world, *udp.Config) {}},
	{"another host key", false, func(w *world, c *udp.Config) { c.HostKey = secure.Secret(w.dice.secret()).Public() }},
	{"a token under another key", false, func(w *world, c *udp.Config) {
		w.issue(c, secure.TokenKey{ID: 8, Key: tokenKey.Key}, secure.Claims{Host: hostName}, 60)
	}},
	{"an expired token", false, func(w *world, c *udp.Config) { w.issue(c, tokenKey, secure.Claims{Host: hostName}, -20_000) }},
	{"a damaged token", false, func(w *world, c *udp.Config) {
		w.issue(c, tokenKey, secure.Claims{Host: hostName}, 20_000)
		c.Token[len(c.Token)-1] ^= 1
	}},
	{"a token for another host", false, func(w *world, c *udp.Config) { w.issue(c, tokenKey, secure.Claims{Host: [16]byte{1}}, 20_000) }},
	{"a token of somebody else", false, func(w *world, c *udp.Config) {
		w.issue(c, tokenKey, secure.Claims{Host: hostName, Client: secure.Secret(w.dice.secret()).Public()}, 20_000)
	}},
	{"a token that others have", false, func(w *world, c *udp.Config) {
		if len(w.shared.Token) == 0 {
			w.issue(&w.shared, tokenKey, secure.Claims{Host: hostName}, 40_000)
		}
		c.Token, c.PSK = w.shared.Token, w.shared.PSK
	}},
	{"a good token", false, func(w *world, c *udp.Config) { w.issue(c, tokenKey, secure.Claims{Host: hostName}, 20_000) }},
	{"another catalogue", false, func(_ *world, c *udp.Config) { c.Catalogue = catalogue(2) }},
	{"another version", true, func(_ *world, c *udp.Config) { c.Protocol, c.Version = udp.Base, "HRD-LOCAL-2" }},
	{"the base protocol", true, func(_ *world, c *udp.Config) { c.Protocol = udp.Base }},
}

// issue brings a token that expires after so many seconds.
func (w *world) issue(c *udp.Config, key secure.TokenKey, claims secure.Claims, seconds int64) {
	now := w.host.unixTime()
	claims.Issued, claims.Expires = now, now+seconds
	token, psk, err := key.Issue(w.dice.source, claims)
	c.Token, c.PSK = must(token, err), psk
}

// catalogue is what the players and the host say, or somebody else.
func catalogue(n byte) transport.Catalogue {
	return transport.Catalogue{
		Fingerprint: [8]byte{n}, Description: fmt.Sprint("catalogue ", n),
		Explain: func(theirs string) error { return errors.New(theirs + " is another one") },
	}
}

// invite lets a guest dial.
func invite(w *world, f *Fault) {
	how := &invitations[f.Size%len(invitations)]
	if w.plan.protocol == udp.Base && !how.plain {
		how = &invitations[len(invitations)-1-f.Size%2]
	}
	g := &guest{w: w, name: how.name, m: machine{w: w, node: w.guests}}
	if g.m.listen(0) != nil {
		return
	}
	c := w.config(&g.m)
	c.DialTimeout = 2e9
	if !how.plain {
		w.secureConfig(&c)
	}
	how.bring(w, &c)
	g.conn = must(udp.Dial(context.Background(), w.hostAddr().String(), c))
	g.detach = g.m.node.Attach(g, g.m.sock.Socket)
}

// Run is one turn of a guest: it says nothing, and leaves soon.
func (g *guest) Run(now int64) int64 {
	g.conn.Poll()
	for ev, ok := g.conn.Next(); ok; ev, ok = g.conn.Next() {
		switch ev.Kind {
		case transport.Connected:
			g.w.census.count("guest with " + g.name)
			g.leaves = now + guestStays
		case transport.DialFailed, transport.Disconnected:
			if ev.Kind == transport.DialFailed {
				g.w.census.count("guest with " + g.name)
				g.w.census.count("guest's dial failed: " + failure(ev.Err))
			}
			g.w.census.drops(g.conn.HostStats().Drops)
			g.detach()
			return never
		}
	}
	if g.leaves > 0 && now >= g.leaves {
		g.leaves = never
		_ = g.conn.Close()
	}
	g.conn.Flush()
	next := g.conn.NextDeadline()
	if g.leaves > 0 {
		next = min(next, g.leaves)
	}
	return next
}

// rogue is a client that makes a session, and then breaks the rules of the protocol in it.
type rogue struct {
	w      *world
	client *secure.Client
	sock   *socket
	detach func()
	number int64
	until  int64
	spoils bool // it damages its Auths as well
}

func letRogueIn(w *world, f *Fault) {
	m := machine{w: w, node: w.guests}
	if w.plan.protocol == udp.Base || m.listen(0) != nil {
		return
	}
	r := &rogue{w: w, sock: m.sock, until: m.clock() + 3e9, spoils: w.dice.oneIn(3)}
	c := secure.ClientConfig{Seed: w.dice.secret(), HostKey: publicKey, DialTimeout: 2e9, Fingerprint: catalogue(1).Fingerprint}
	if w.opener != nil {
		c.KeyLogWriter = w.opener
	}
	r.client = must(secure.NewClient(m.clock(), c))
	r.detach = m.node.Attach(r, m.sock.Socket)
}

// Run joins, says that it is there, and then something that nobody may say.
func (r *rogue) Run(now int64) int64 {
	for {
		n, from, _, err := r.sock.TryRead(r.w.buf)
		if err != nil || !from.IsValid() {
			break
		}
		r.client.HandleDatagram(now, r.w.buf[:n])
	}
	for d := r.client.PollDatagram(now, nil); len(d) > 0; d = r.client.PollDatagram(now, nil) {
		if r.spoils && d[0] == byte(handshake.KindAuth) {
			d[len(d)-1] ^= 1
		}
		r.write(d)
	}
	joined, _ := r.client.Outcome()
	if joined != nil && r.number < 20 {
		var b packet.Builder
		b.Reset(nil, packet.MaxPacket)
		b.AppendHeartbeat()
		p := b.Bytes()
		if r.number > 10 {
			p = []byte{byte(packet.KindParity), 1} // cut off
		}
		r.write(joined.Session.Seal(nil, p, r.number))
		r.number++
	}
	if now >= r.until {
		r.detach()
		_ = r.sock.Close()
		return never
	}
	return min(now+50e6, r.until)
}

func (r *rogue) write(d []byte) { _ = r.sock.Write(d, r.w.hostAddr(), netip.Addr{}) }
