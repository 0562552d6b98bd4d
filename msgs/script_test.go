package msgs_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// model is what a router has to do, said in the plainest way: what waits for the frame is a list of functions.
type model struct {
	diary    []string
	drops    msgs.Drops
	handled  uint64
	abuse    uint64
	queue    []func()
	sessions map[*conn]*session
}

type session struct {
	conn            *conn
	playing         bool
	waiting         int
	joining, left   bool
	received        int64 // when the last message came
	level, measured int64 // malformed messages, in the time that it takes to forget them, and when that was
}

func (m *model) write(format string, args ...any) {
	m.diary = append(m.diary, fmt.Sprintf(format, args...))
}

func (m *model) later(s *session, f func()) {
	s.waiting++
	m.queue = append(m.queue, func() { s.waiting--; f() })
}

func (m *model) runFrame() {
	queue := m.queue
	m.queue = nil
	for _, f := range queue {
		f()
	}
}

func (m *model) connect(c *conn) {
	s := &session{conn: c}
	s.joining = slices.ContainsFunc(m.all(), func(o *session) bool { return o.conn.id == c.id && !o.left })
	m.sessions[c] = s
	join := func() { s.joining = false; m.write("player %d joined", c.id) }
	if s.joining {
		m.later(s, join)
	} else {
		join()
	}
}

func (m *model) all() (list []*session) {
	for _, s := range m.sessions {
		list = append(list, s)
	}
	return list
}

func (m *model) disconnect(c *conn) {
	s := m.sessions[c]
	leave := func() { s.left = true; m.write("player %d left", c.id) }
	if s.waiting > 0 {
		m.later(s, leave)
	} else {
		leave()
	}
}

// message plays one that fails in drop, or is handled as what. It is checked at once, or when its turn in the frame comes.
func (m *model) message(c *conn, l line, at int64) {
	s := m.sessions[c]
	s.received = at
	if c.ended != nil {
		m.drop(s, msgs.DropSession)
		return
	}
	handle := func() {
		if l.drop == msgs.DropState && s.playing {
			m.write("player %d: %s", c.id, l.name)
			m.handled++
			return
		}
		if l.drop != msgs.Handled {
			m.drop(s, l.drop)
			return
		}
		m.write("player %d: %s", c.id, l.name)
		m.handled++
		switch l.name {
		case "play":
			s.playing = true
		case "kick":
			c.Kick(1, "")
		}
	}
	switch {
	case l.drop != msgs.Handled && l.drop < msgs.DropQueue:
		m.drop(s, l.drop)
	case l.frame || s.joining:
		m.later(s, func() {
			if c.ended != nil && c.ended.Cause == transport.Kicked {
				m.drop(s, msgs.DropSession)
				return
			}
			handle()
		})
	default:
		handle()
	}
}

func (m *model) drop(s *session, d msgs.Drop) {
	m.drops[d]++
	if !d.Malformed() {
		return
	}
	s.level, s.measured = max(0, s.level-(s.received-s.measured))+quarter, s.received
	if s.level > 10*quarter {
		s.level = 0
		m.abuse++
		if s.conn.local {
			s.conn.Kick(msgs.CodeMalformed, "")
		}
	}
}

// line is a message of the script.
type line struct {
	name    string
	drop    msgs.Drop
	frame   bool
	payload []byte
	entry   msgs.Entry
}

func say(name string, drop msgs.Drop, payload []byte) line {
	return line{name, drop, true, payload, chat.Entries[0]}
}

// script has all kinds of messages, the good ones more than once.
func script() []line {
	lines := []line{
		say("panic", msgs.DropPanic, encoded(&Say{Text: "panic"})),
		say("forbidden", msgs.DropMalformed, encodedForbidden()),
		say("unread", msgs.DropUnread, append(encoded(&Say{}), 1)),
		say("play", msgs.Handled, encoded(&Say{Text: "play"})),
		say("kick", msgs.Handled, encoded(&Say{Text: "kick"})),
		{"move", msgs.Handled, false, encoded(&Move{X: 9}), chat.Entries[1]},
		{"shoot", msgs.DropState, true, encoded(&Shoot{At: 3}), chat.Entries[4]},
	}
	for i := range 9 {
		text := fmt.Sprint("text ", i)
		lines = append(lines, say(text, msgs.Handled, encoded(&Say{Text: text})), lines[5], lines[6])
	}
	for _, bad := range badMessages {
		if bad.want < msgs.DropQueue {
			lines = append(lines, line{bad.why, bad.want, false, bad.payload, msgs.Entry{Delivery: bad.delivery, Channel: bad.channel}})
		}
	}
	return lines
}

// Whatever happens in whatever order, a router says and counts what the model does.
func TestARouterDoesWhatTheModelDoes(t *testing.T) {
	lines := script()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		m := &model{sessions: map[*conn]*session{}}
		var diary []string
		write := func(format string, args ...any) { diary = append(diary, fmt.Sprintf(format, args...)) }
		tb := newTable(t, msgs.Config{
			Logger: slog.New(slog.DiscardHandler),
			Joined: func(p *msgs.Peer) { write("%v joined", p) },
			Left:   func(p *msgs.Peer, _ error) { write("%v left", p) },
		}, msgs.OnFrame(func(in *msgs.In, m *Say) {
			if m.Text == "panic" {
				panic(m.Text)
			}
			write("%v: %s", in.Peer, m.Text)
			switch m.Text {
			case "play":
				_ = in.Peer.Enter(playing)
			case "kick":
				in.Peer.Kick(1, "")
			}
		}), msgs.On(func(in *msgs.In, m *Move) { write("%v: move", in.Peer) }),
			msgs.OnFrame(func(in *msgs.In, m *Shoot) { write("%v: shoot", in.Peer) }))

		// The router and the model have a connection each, so that a kick by one is not seen by the other.
		routed, modelled := [5]*conn{}, [5]*conn{}
		for range 300 {
			tb.at += int64(random.Uint64N(uint64(quarter) / 2))
			i := random.Uint64N(5)
			switch {
			case random.Uint64N(20) == 0:
				tb.RunFrame()
				m.runFrame()
			case routed[i] == nil:
				routed[i], modelled[i] = &conn{id: uint32(i), local: i > 2}, &conn{id: uint32(i), local: i > 2}
				tb.connects(routed[i])
				m.connect(modelled[i])
			case random.Uint64N(30) == 0 || routed[i].ended != nil && random.Uint64N(2) == 0:
				tb.leaves(routed[i])
				m.disconnect(modelled[i])
				routed[i], modelled[i] = nil, nil
			default:
				l := lines[random.Uint64N(uint64(len(lines)))]
				require.True(t, tb.sendsBytes(routed[i], &l.entry, l.payload))
				m.message(modelled[i], l, tb.at)
			}
			if !slices.Equal(m.diary, diary) || m.drops != tb.Stats().Drops {
				break // and fail below
			}
		}
		tb.RunFrame()
		m.runFrame()
		require.Equal(t, m.diary, diary, "seed %d", seed)
		require.Equal(t, m.drops, tb.Stats().Drops, "seed %d", seed)
		require.Equal(t, []uint64{m.handled, m.abuse}, []uint64{tb.Stats().Handled.Messages, tb.Stats().Abuse}, "seed %d", seed)
	}
}
