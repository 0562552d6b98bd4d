package soak

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// pair finds the other side of a session once both applications have it.
func (w *world) pair(e *end) {
	key := e.conn.ChannelBinding()
	if !e.conn.Encrypted() {
		key = sessionKey(e)
		w.speakers[e.way()][addressKey(e)] = e
	}
	o := w.bindings[key]
	if o == nil || o.host == e.host && (o.over || o.conn.Err() != nil) && !e.conn.Encrypted() { // a client of the base protocol may be admitted again before it hears of it
		w.bindings[key] = e
		return
	}
	delete(w.bindings, key)
	if o.host == e.host {
		w.fail(Events, "%s and %s are of one session", e.name, o.name)
		return
	}
	e.peer, o.peer = o, e
	client, host := e, o
	if e.host {
		client, host = o, e
	}
	host.player = client.player
	w.pairs++
	if o.over { // it ended before this side knew of it
		w.census.count("ended before the other side was connected")
	}
}

// late takes a message in a session of the base protocol that no client asked for: a copy of its Connect came after the session that it made was over at the host.
// The client does not know, and the address is all there is to tell two sessions by, so what it says in the first is heard in the second. It has to be just that.
func (w *world) late(e *end, s *stream, payload []byte) {
	if nobodys.Contains(e.conn.RemoteAddr().Addr()) {
		w.census.count("message of a stranger, in a session that a stranger asked for")
		return
	}
	w.census.count("message in a session that a late Connect made")
	client := w.speakers[toHost][addressKey(e)]
	if client == nil || client.peer == nil || client.peer == e || !client.peer.over {
		w.fail(AsSent, "%s: a message before the other side was connected", e.name)
		return
	}
	if !client.said(s, payload) {
		w.fail(AsSent, "%s: %d bytes on stream %d that %s has not sent", e.name, len(payload), s.index, client.name)
	}
}

// way is the direction in which e speaks.
func (e *end) way() int {
	if e.host {
		return toPlayer
	}
	return toHost
}

// lateAnswer reports whether a client hears what its host says in such a session, while its own is over there. Neither side would ever end that, so its player leaves.
func (w *world) lateAnswer(e *end, s *stream, payload []byte) bool {
	if e.host || e.conn.Encrypted() || e.peer != nil && !e.peer.over {
		return false
	}
	host := w.speakers[toPlayer][addressKey(e)]
	if host == nil || host == e.peer || !host.said(s, payload) {
		return false
	}
	w.census.count("message of a session that a late Connect made")
	e.leaves(transport.ClosedLocally, e.conn.Abort)
	return true
}

// said reports whether a message is one that e has sent, if it is long enough to say which.
func (e *end) said(s *stream, payload []byte) bool {
	if s.whole() && len(payload) < head {
		return true
	}
	n, ok := number(payload)
	return ok && n < e.out[s.index].sent && bytes.Equal(s.message(e.w.expected, e.serial, n), payload)
}

// sessionKey names a session of the base protocol: by its client and its id. A host may admit a client that heard of no session before, and find out late that it has two.
func sessionKey(e *end) [32]byte {
	key := addressKey(e)
	binary.LittleEndian.PutUint32(key[len(key)-4:], e.id)
	return key
}

// addressKey names a client of the base protocol: by its address, as it dials from another port each time.
func addressKey(e *end) (key [32]byte) {
	var at netip.AddrPort
	if e.host {
		at = e.conn.RemoteAddr()
	} else {
		at = e.on.node.AddrPort(e.on.sock.LocalAddr().Port())
	}
	b, _ := at.MarshalBinary()
	copy(key[:], b)
	return key
}

// tookID holds that an id is that of one peer alone, and rests before another gets it.
func (h *host) tookID(e *end) {
	for _, o := range h.order {
		if o != e && o.up && o.id == e.id {
			h.w.fail(Events, "%s has the id %d of %s, which stands", e.name, e.id, o.name)
		}
	}
	const rest = int64(3 * time.Second) // PROTOCOL.md 3.3
	if at, ok := h.freed[e.id]; ok && h.w.nw.Now()-at < rest && !h.w.resumed(e) {
		h.w.fail(Events, "%s has the id %d, which another had %v ago", e.name, e.id, time.Duration(h.w.nw.Now()-at))
	}
}

// resumed reports whether e is of a player who may have come with a ticket, and so under the id from before.
func (w *world) resumed(e *end) bool {
	if !e.conn.Encrypted() {
		return false
	}
	who := e.conn.Identity().Key
	i := slices.IndexFunc(w.players, func(p *player) bool { return p.public == who })
	return i >= 0 && w.players[i].resumes
}

func (h *host) gaveID(e *end) {
	if e.up {
		h.freed[e.id] = h.w.nw.Now()
	}
}

// justified holds that an end has a reason that its side can have. It is told so late after it happened.
func (w *world) justified(e *end, late int64) {
	switch e.cause {
	case transport.ClosedLocally, transport.Kicked:
		if e.left != e.cause {
			w.fail(Agreed, "%s: %v, and its application did %v", e.name, e.cause, e.left)
		}
	case transport.TimedOut:
		if late < int64(w.plan.heartbeat/4) { // else a consumer was stopped, and what reached it since then says nothing
			w.wasSilent(e)
		}
	case transport.Replaced:
		if !e.host {
			w.fail(Agreed, "%s: a client was replaced", e.name)
		}
	case transport.Forgotten:
		if e.host {
			w.fail(Agreed, "%s: a host was forgotten", e.name)
		}
	case transport.SocketFailed:
		if !e.on.sockBroken() {
			w.fail(Agreed, "%s: its socket failed, and nothing had been done to it: %v", e.name, e.err)
		}
	case transport.ProtocolError:
		if e.player == nil {
			return // a rogue
		}
		w.fail(Agreed, "%s: %v, and its peer keeps the rules", e.name, e.err)
	}
}

// slackOfSilence is how much less than the time-out an end may have been silent: what was on its way when its last datagram was counted.
const slackOfSilence = time.Second

// wasSilent holds that an end which has timed out had heard nothing, although its peer spoke.
func (w *world) wasSilent(e *end) {
	p, now := e.player, w.nw.Now()
	if unconfirmed := e.host && !e.conn.Encrypted() && (e.peer == nil || p.flow[toHost].delivered < e.peer.dialled); unconfirmed {
		return // it never heard from a client that had asked, and waits less for that (PROTOCOL.md 3.3)
	}
	if p == nil || now < p.dulled || now < w.host.dulled {
		return
	}
	if e.host && e.peer != nil && p.end != e.peer {
		return // the player speaks in another session by now
	}
	f, speaker := &p.flow[toPlayer], e.peer
	if e.host {
		f = &p.flow[toHost]
	}
	if now < p.tainted || now < w.host.tainted {
		w.wasBrieflySilent(e, f)
		return
	}
	if silence := time.Duration(now - f.delivered); silence < w.plan.timeout-slackOfSilence {
		w.fail(OnlySilence, "%s timed out, and a datagram reached it %v before: %v", e.name, silence, e)
	}
	if speaker == nil || speaker.over || speaker.left != 0 || speaker.conn.Err() != nil {
		return
	}
	if mute := now - max(f.sent, speaker.spoke); mute > int64(2*w.plan.heartbeat+slackOfSilence) { // a host may speak to where the player was
		w.fail(OnlySilence, "%s timed out, and its peer stands and has sent nothing for %v", e.name, time.Duration(mute))
	}
}

// wasBrieflySilent holds what is true whatever clocks do: a side that was away gives its peer a heartbeat, by the clock or by the network (PROTOCOL.md 3.4).
func (w *world) wasBrieflySilent(e *end, f *flow) {
	silence := max(w.nw.Now()-f.delivered, e.on.clock()-f.clock)
	if silence < int64(w.plan.heartbeat*3/4) {
		w.fail(OnlySilence, "%s timed out, and a datagram reached it %v before", e.name, time.Duration(silence))
	}
}

// own reports whether an end came about on its own side, which then tells the other.
func (e *end) own() bool {
	switch e.cause {
	case transport.ClosedLocally, transport.Kicked, transport.Replaced, transport.ProtocolError:
		return true
	}
	return false
}

// agreed holds what the two ends of a session say of its end, once both are over.
func (w *world) agreed(a, b *end) {
	w.census.count("sessions")
	for _, side := range [2][2]*end{{a, b}, {b, a}} {
		e, o := side[0], side[1]
		if e.dead {
			continue
		}
		w.heardRight(e, o)
		w.gotAll(e, o)
	}
}

// heardRight holds what e says against what happened to o.
func (w *world) heardRight(e, o *end) {
	gone := o.dead || o.cause == transport.TimedOut || o.cause == transport.SocketFailed
	switch e.cause {
	case transport.ClosedByPeer:
		stone := !e.conn.Encrypted() && gone // a tombstone says Disconnect to whoever still speaks
		if !o.own() && !stone && o.left == 0 {
			w.fail(Agreed, "%s: %v; %s: %v", e.name, e.err, o.name, o.err)
		}
		w.toldWhy(e, o)
	case transport.Forgotten:
		if !gone && !o.own() {
			w.fail(Agreed, "%s: %v; %s: %v", e.name, e.err, o.name, o.err)
		}
	case transport.TimedOut:
		if w.calm && o.own() && o.endAt > w.calmSince && o.endAt < e.endAt {
			w.fail(Agreed, "%s: %v, without a fault; %s: %v", e.name, e.err, o.name, o.err)
		}
	}
}

// toldWhy holds that the code and the text of a kick came with it.
func (w *world) toldWhy(e, o *end) {
	var told *transport.DisconnectError
	if !e.conn.Encrypted() || !errors.As(e.err, &told) {
		return
	}
	switch {
	case o.cause == transport.Kicked && (told.Code != o.code || told.Text != kickText(o.code)):
		w.fail(Agreed, "%s was kicked with %d, and heard %v", e.name, o.code, told)
	case o.cause == transport.Replaced && told.Code != transport.CodeReplaced:
		w.fail(Agreed, "%s was replaced, and heard %v", e.name, told)
	}
}

// gotAll holds that the messages which e knows to have arrived were handed out at o, and that no more are missing there than e says.
func (w *world) gotAll(e, o *end) {
	if o.dead || o.own() || o.left != 0 { // whoever leaves gets no more
		return
	}
	missing := e.unheard()
	for i := range w.plan.streams {
		s, out, in := &w.plan.streams[i], &e.out[i], &o.in[i]
		if n, lost := s.lost(out, in); lost {
			w.fail(AckedIsKept, "%s was told that message %d of stream %d is delivered, and %s was given %d, up to %d, until %v", e.name, n, i, o.name, in.got, in.next, o.err)
		}
		missing += int(s.missing(out, in))
	}
	var told *transport.DisconnectError
	if errors.As(e.err, &told) && missing > told.Undelivered {
		w.fail(AckedIsKept, "%s: %v, %d messages undelivered, and %s misses %d: %v; of stream 1 %d and %d", e.name, e.err, told.Undelivered, o.name, missing, o.err, e.out[1].sent, o.in[1].got)
	}
}
