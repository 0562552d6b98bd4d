package udp_test

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// rogue is one side of the secure protocol that says in its session what a script says.
type rogue struct {
	testing.TB
	w      *world
	node   *sim.Node
	sock   *sim.Socket
	config reliable.Config
	says   func(now int64, ep *reliable.Endpoint) // once the session is there

	client *secure.Client
	host   *secure.Host
	ep     *reliable.Endpoint
	peer   netip.AddrPort
	buf    [2000]byte
	end    *reliable.Event
	heard  []string // messages
}

func (w *world) rogue(name string, c reliable.Config, port uint16, says func(int64, *reliable.Endpoint)) *rogue {
	node := w.member(name, nil).node
	sock, err := node.Listen(port)
	require.NoError(w.t, err)
	r := &rogue{TB: w.t, w: w, node: node, sock: sock, config: c, says: says}
	r.node.Attach(sim.ProcessFunc(r.run))
	return r
}

// rogueClient is one with the fingerprint of other cards than any.
func (w *world) rogueClient(name string, h *member, c reliable.Config, says func(int64, *reliable.Endpoint)) *rogue {
	c.Role = framing.Client
	r := w.rogue(name, c, 0, says)
	r.peer = h.node.AddrPort(port)
	var err error
	r.client, err = secure.NewClient(r.node.Clock(), secure.ClientConfig{Seed: sha256.Sum256([]byte(name)), HostKey: hostKey.Public(), Fingerprint: [8]byte{0xBA, 0xD0}})
	require.NoError(w.t, err)
	r.node.Wake()
	return r
}

// rogueHost likewise.
func (w *world) rogueHost(says func(int64, *reliable.Endpoint)) *rogue {
	r := w.rogue("host", reliable.Config{Role: framing.Host}, port, says)
	var err error
	r.host, err = secure.NewHost(r.node.Clock(), secure.HostConfig{Seed: secure.Secret{1}, Static: hostKey, Peers: r, Fingerprint: [8]byte{0xBA, 0xD0}})
	require.NoError(w.t, err)
	return r
}

func (r *rogue) TakePeerID(uint16) uint16 { return 1 }
func (r *rogue) FreePeerID(uint16)        {}
func (r *rogue) HasSession(uint32) bool   { return false }

func (r *rogue) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

func (r *rogue) run(now int64) int64 {
	for {
		n, from, _, err := r.sock.TryRead(r.buf[:])
		require.NoError(r, err)
		if !from.IsValid() {
			break
		}
		r.handle(now, r.buf[:n], from)
	}
	if r.ep != nil {
		r.drain(now)
		r.write(func() []byte { return r.ep.PollDatagram(now, nil) })
		return r.ep.NextDeadline()
	}
	if r.client == nil {
		return noDeadline
	}
	r.write(func() []byte { return r.client.PollDatagram(now, nil) })
	return r.client.NextDeadline()
}

func (r *rogue) write(next func() []byte) {
	for d := next(); len(d) > 0; d = next() {
		require.NoError(r, r.sock.Write(d, r.peer, netip.Addr{}))
	}
}

func (r *rogue) handle(now int64, d []byte, from netip.AddrPort) {
	switch {
	case r.ep != nil:
	case r.client != nil:
		r.client.HandleDatagram(now, d)
		if joined, err := r.client.Outcome(); joined != nil {
			require.NoError(r, err)
			r.begin(now, joined.Session)
		}
		return
	default:
		r.peer = from
		answer, _ := r.host.Handle(now, epoch, nil, d, from)
		r.write(func() []byte { a := answer; answer = nil; return a })
		join, ok := r.host.Poll()
		if !ok {
			return
		}
		r.begin(now, join.Session)
	}
	r.ep.HandleDatagram(now, d)
}

func (r *rogue) begin(now int64, s *secure.Session) {
	r.config.Sealer, r.config.Seed = s, [32]byte{1}
	r.ep = reliable.New(now, r.config)
	r.says(now, r.ep)
}

func (r *rogue) drain(now int64) {
	for ev, ok := r.ep.PollEvent(); ok; ev, ok = r.ep.PollEvent() {
		switch ev.Kind {
		case reliable.EventMessage:
			r.heard = append(r.heard, string(ev.Payload))
		case reliable.EventDisconnected:
			r.end = &ev
		}
	}
}

// wantsEnd wants the session to have ended as 18.5 says.
func (r *rogue) wantsEnd() {
	r.Helper()
	require.NotNil(r, r.end)
	require.Equal(r, []any{reliable.ClosedByPeer, transport.CodeCatalogue, "catalogues differ"}, []any{r.end.Cause, r.end.Code, r.end.Reason})
}

func say(text string, mode reliable.Mode, channel uint8) func(int64, *reliable.Endpoint) {
	return func(now int64, ep *reliable.Endpoint) {
		if err := ep.Send(now, []byte(text), reliable.SendOptions{Mode: mode, Channel: channel}); err != nil {
			panic(err)
		}
	}
}

func TestWhateverAStrangerSaysInsteadOfADescriptionEndsTheExchange(t *testing.T) {
	for name, row := range map[string]struct {
		says func(int64, *reliable.Endpoint)
		want string
	}{
		"garbage":        {say("\x00\xff\x1b[2J", reliable.ReliableOrdered, 0), apart("new", "\x00\xff\x1b[2J")},
		"two":            {func(now int64, ep *reliable.Endpoint) { say("a", 3, 0)(now, ep); say("b", 3, 0)(now, ep) }, apart("new", "a")},
		"nothing":        {say("", reliable.ReliableOrdered, 0), undescribed},
		"too much":       {say(long("a")+".", reliable.ReliableOrdered, 0), undescribed},
		"another mode":   {say("a", reliable.Unreliable, 0), undescribed},
		"another stream": {say("a", reliable.ReliableOrdered, 7), undescribed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			var told []string
			h := w.host(dealer("new", &told))
			r := w.rogueClient("rogue", h, reliable.Config{}, row.says)
			w.run(2 * time.Second)
			require.Equal(t, []string{row.want}, told)
			r.wantsEnd()
			require.Equal(t, []string{"new"}, r.heard, "it has the host's all the same")
			require.Empty(t, h.log)
			require.Empty(t, h.host.Conns())
		})
	}
}

func TestAClientBelievesNoHostThatSaysSomethingElse(t *testing.T) {
	for name, row := range map[string]struct {
		says func(int64, *reliable.Endpoint)
		want string
	}{
		"garbage":      {say("\x00\xff", reliable.ReliableOrdered, 0), apart("old", "\x00\xff")},
		"game":         {say("start", reliable.Unreliable, 3), undescribed},
		"too much":     {say(long("a")+".", reliable.ReliableOrdered, 0), undescribed},
		"silence":      {func(int64, *reliable.Endpoint) {}, undescribed},
		"only goodbye": {func(now int64, ep *reliable.Endpoint) { ep.Farewell(transport.CodeCatalogue, ""); ep.Kick(now) }, undescribed},
		"full":         {func(now int64, ep *reliable.Endpoint) { ep.Farewell(transport.CodeFull, "full"); ep.Kick(now) }, "refused by the host: full"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			r := w.rogueHost(row.says)
			c := w.client("client", &member{TB: t, w: w, node: r.node}, plays("old"))
			w.run(6 * time.Second)
			c.wants("0 dial failed: " + row.want)
		})
	}
}

func TestAnExchangeThatIsNeverCompleteEndsInEightSeconds(t *testing.T) {
	for name, row := range map[string]struct {
		config reliable.Config
		says   func(int64, *reliable.Endpoint)
		deaf   bool
	}{
		"silence": {says: func(int64, *reliable.Endpoint) {}},
		"trickle": {reliable.Config{SendCeiling: 1200}, say(long("a"), reliable.ReliableOrdered, 0), false},
		"deaf":    {says: say("a", reliable.ReliableOrdered, 0), deaf: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			var told []string
			h := w.host(dealer(long("new"), &told))
			r := w.rogueClient("rogue", h, row.config, row.says)
			w.run(45 * time.Millisecond)
			require.NotNil(t, r.ep)
			if row.deaf {
				w.nw.Cut(h.node, r.node)
			}
			w.run(8200 * time.Millisecond)
			require.Len(t, told, 1)
			require.Less(t, int(h.host.Stats().BytesSent), 9*512<<10, "512 KiB a second at most")
		})
	}
}

func TestExchangesAreFewAtOnce(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	config := dealer("new", &told)
	h := w.host(config)
	silent := func(int64, *reliable.Endpoint) {}
	var crowd []*rogue
	for i := range 20 {
		crowd = append(crowd, w.rogueClient(fmt.Sprint("rogue", i), h, reliable.Config{}, silent))
	}
	w.run(time.Second)
	for i, r := range crowd {
		require.Equal(t, i >= 16, r.end != nil, i)
	}
	crowd[16].wantsEnd()
	require.Empty(t, crowd[16].heard)
	require.Equal(t, []string{undescribed, undescribed, undescribed, undescribed}, told)
	w.run(8 * time.Second)
	require.Len(t, told, 20)
	require.Equal(t, 20, int(h.host.Stats().Mismatched))
	c := w.client("client", h, plays("old"))
	w.run(time.Second)
	c.wants("0 dial failed: " + apart("old", "new"))
}

func TestOneAddressHasItsShareOfExchanges(t *testing.T) {
	for name, row := range map[string]struct {
		host    string
		clients []string
	}{
		"IPv4 address": {"198.51.100.1", []string{"192.0.2.7"}},
		"IPv6 network": {"2001:db8:1::1", []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			var told []string
			h := w.host(dealer("new", &told), row.host)
			var nodes []*sim.Node
			for _, addr := range row.clients {
				nodes = append(nodes, w.member(addr, []string{addr}).node)
			}
			for i := range 5 {
				w.clientOn(nodes[i%len(nodes)], h, plays(long("old")))
				w.run(time.Millisecond) // or all would draw the same key
			}
			w.run(70 * time.Millisecond)
			require.Equal(t, 5, int(h.host.Stats().Mismatched))
			require.Equal(t, 1, strings.Count(strings.Join(told, "\n"), undescribed))
		})
	}
}

func TestNothingIsLeftOfAThousandMismatches(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	config := dealer("new", &told)
	h := w.host(config)
	free := h.host.FreeIDs()
	for i := range 1000 {
		node := w.member(fmt.Sprint("node", i), nil).node
		c := w.clientOn(node, h, plays("old"))
		w.run(200 * time.Millisecond)
		require.Len(t, c.errs, 1)
	}
	require.Len(t, told, 1000)
	w.run(5 * time.Second)
	require.Equal(t, free, h.host.FreeIDs())
	require.Zero(t, h.host.Remembered())
}
