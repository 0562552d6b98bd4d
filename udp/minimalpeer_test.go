package udp_test

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/minimalpeer"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// minimal is the minimal secure peer of PROTOCOL.md 25 on a real socket. It does what that section says, in the simplest way that it allows: one
// frame in a packet, an ack with the bitmap of 32 for each that asks for one.
type minimal struct {
	*minimalpeer.Client
	*testing.T
	sock *net.UDPConn
	host netip.AddrPort

	number   uint64 // of the next packet
	sequence uint16 // of the next message to the host
	epoch    uint32

	highest  int64
	received uint32 // bit i: highest - 1 - i was received
	expected uint16 // of the next message of the host
	heard    []string
	asked    int // PathChallenges that were answered
	tickets  int
	goodbye  string
}

func newMinimal(t *testing.T, h *udp.Host) *minimal {
	m := &minimal{T: t, host: h.Addr(), highest: -1}
	m.Client = &minimalpeer.Client{
		T: t, Static: minimalpeer.Private(t, bytes.Repeat([]byte{0x51}, 32)), Ephemeral: minimalpeer.Private(t, bytes.Repeat([]byte{0x52}, 32)),
		ID: []byte{1, 2, 3, 4}, Random: []byte("random8!"),
	}
	m.moves()
	return m
}

// moves lets the peer go on from another port.
func (m *minimal) moves() {
	sock, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(m, err)
	m.Cleanup(func() { sock.Close() })
	m.sock = sock
}

func (m *minimal) addr() netip.AddrPort { return m.sock.LocalAddr().(*net.UDPAddr).AddrPort() }

func (m *minimal) writes(d []byte) {
	m.Helper()
	_, err := m.sock.WriteToUDPAddrPort(d, m.host)
	require.NoError(m, err)
}

// reads gives the next datagram of the host.
func (m *minimal) reads() []byte {
	m.Helper()
	buf := make([]byte, 1500)
	require.NoError(m, m.sock.SetReadDeadline(time.Now().Add(patience)))
	n, from, err := m.sock.ReadFromUDPAddrPort(buf)
	require.NoError(m, err)
	require.Equal(m, m.host, from)
	return buf[:n]
}

// joins goes through the handshake of section 18.
func (m *minimal) joins() {
	m.Helper()
	m.writes(m.Hello())
	nothing := make([]byte, 14) // no fingerprint, time-out or connect data
	m.writes(m.Auth(m.reads(), nil, nothing))
	m.Accept(m.reads(), make([]byte, 32))
	m.says("\x07") // which confirms the session
}

// says sends one packet.
func (m *minimal) says(packet string) {
	m.Helper()
	m.writes(m.Seal([]byte(packet), m.number, m.epoch&3))
	m.number++
}

// tells sends a reliable ordered message on channel 0, section 10.2.
func (m *minimal) tells(message string) {
	m.Helper()
	m.says("\x05\x18" + string(binary.LittleEndian.AppendUint16(nil, m.sequence)) + message)
	m.sequence++
}

// until reads until something is so.
func (m *minimal) until(so func() bool) {
	m.Helper()
	for !so() {
		m.takes(m.reads())
	}
}

// takes opens a Sealed and follows its host into the next epoch, section 20.
func (m *minimal) takes(d []byte) {
	m.Helper()
	require.Equal(m, byte(13), d[0])
	require.Equal(m, m.ID, d[1:5])
	word := binary.LittleEndian.Uint32(d[5:])
	if word>>30 == (m.epoch+1)&3 {
		m.Rekey()
		m.epoch++
	}
	number := uint64(word & (1<<30 - 1)) // there are fewer
	asks := m.takesFrames(m.Open(d, number))
	if m.notes(int64(number)); asks {
		m.says("\x46" + string(binary.LittleEndian.AppendUint16(nil, uint16(m.highest))) + "\x00" + string(binary.LittleEndian.AppendUint32(nil, m.received)))
	}
}

// notes keeps what an ack has to say.
func (m *minimal) notes(number int64) {
	switch {
	case m.highest < 0:
	case number < m.highest:
		m.received |= 1 << (m.highest - 1 - number)
		return
	default:
		m.received = m.received<<(number-m.highest) | 1<<(number-m.highest-1)
	}
	m.highest = number
}

// takesFrames reads the frames of sections 10 and 23, and reports whether one asks for an ack.
func (m *minimal) takesFrames(b []byte) (asks bool) {
	m.Helper()
	for len(b) > 0 {
		kind, flags := b[0]&0x1F, b[0]&0xE0
		b = b[1:]
		take := func(n int) []byte {
			taken := b[:n]
			b = b[n:]
			return taken
		}
		rest := func() []byte {
			if flags&0x20 == 0 {
				return take(len(b))
			}
			n := int(take(1)[0])
			if n >= 0x80 {
				n = n&0x7F | int(take(1)[0])<<7
			}
			return take(n)
		}
		switch kind {
		case 5:
			how := take(1)[0]
			require.Equal(m, byte(0x18), how, "the host sends nothing but single ordered messages on channel 0 here")
			sequence := binary.LittleEndian.Uint16(take(2))
			if message := rest(); sequence == m.expected {
				m.heard = append(m.heard, string(message))
				m.expected++
			}
		case 6:
			take(3 + []int{0, 4, 8}[flags>>6])
		case 7:
		case 8:
			m.goodbye = string(binary.BigEndian.AppendUint16(nil, binary.LittleEndian.Uint16(take(2)))) + string(rest())
		case 16:
			if flags&0x40 == 0 {
				take(3)
			}
			take(4)
		case 17:
			take(8)
		case 24:
			m.says("\x19" + string(take(8)))
			m.asked++
		case 26:
			take(32)
			require.LessOrEqual(m, len(rest()), 512)
			m.tickets++
		default:
			require.Fail(m, "an unknown frame", "kind %d", kind)
		}
		asks = asks || kind != 6 && kind != 7 && kind != 8 && kind != 17
	}
	return asks
}

func TestAPeerMadeFromThePageAlonePlaysOnRealSockets(t *testing.T) {
	var skipped atomic.Int64 // by which the clock of the host has been put forward
	start := time.Now()
	h := listen(t, udp.Config{
		Key: hostKey, Heartbeat: 15 * time.Minute, Timeout: time.Hour,
		Clock: func() int64 { return int64(time.Since(start)) + skipped.Load() },
	})
	m := newMinimal(t, h)
	m.joins()
	conn := accept(t, h).(*udp.Conn)
	require.Equal(t, hostKey.Public(), secure.Key(m.HostKey))
	require.Equal(t, secure.Identity{Kind: secure.ByKey, Key: secure.Key(m.Static.PublicKey().Bytes())}, conn.Identity())
	require.EqualValues(t, binary.LittleEndian.Uint16(m.Payload2[4:]), conn.ID())
	require.Equal(t, [32]byte(m.Digest), conn.ChannelBinding())
	m.until(func() bool { return m.tickets > 0 })

	echo := func(text string) {
		t.Helper()
		m.tells(text)
		require.Equal(t, text, receive(t, conn))
		send(t, conn, "you said "+text, ordered)
		before := len(m.heard)
		m.until(func() bool { return len(m.heard) > before })
		require.Equal(t, "you said "+text, m.heard[before])
	}
	echo("hello")

	for epoch := uint32(1); epoch <= 5; epoch++ { // the two bits wrap
		skipped.Add(int64(10 * time.Minute))
		echo("in the next epoch")
		require.Equal(t, epoch, m.epoch)
	}

	m.moves()
	m.says("\x07")
	m.until(func() bool { return m.asked > 0 })
	require.Eventually(t, func() bool { return conn.RemoteAddr() == m.addr() }, patience, time.Millisecond)
	echo("from here")

	m.says("\x08\x07\x00goodbye")
	_, err := conn.Receive(testContext(t), nil)
	var end *transport.DisconnectError
	require.ErrorAs(t, err, &end)
	require.Equal(t, transport.DisconnectError{Cause: transport.ClosedByPeer, Code: 7, Text: "goodbye"}, *end)
	require.Equal(t, framing.Drops{}, h.Stats().Drops)
}

func TestWhoWaitsForAdmitFillsNoMemory(t *testing.T) {
	release := make(chan struct{})
	h := listen(t, udp.Config{Key: hostKey, Admit: func(udp.Request) *udp.Refusal { <-release; return nil }})
	m := newMinimal(t, h)
	m.joins()
	for range 50 {
		m.tells(string(make([]byte, 1000)))
		m.says("\x07")
	}
	require.Eventually(t, func() bool { return h.Stats().DatagramsReceived == 103 }, patience, time.Millisecond)
	drops := h.Stats().Drops
	require.EqualValues(t, 50-16, drops[framing.DropRate], "16 KiB of messages, and each sign of life")
	close(release)
	conn := accept(t, h).(*udp.Conn)
	m.sequence = 16
	for range 34 { // again what was not acked
		m.tells(string(make([]byte, 1000)))
	}
	for range 50 {
		require.Len(t, receive(t, conn), 1000)
	}
}
