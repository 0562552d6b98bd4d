package sim_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// packet is what a reader finds in a capture.
type packet struct {
	time     time.Duration
	from, to netip.AddrPort
	payload  []byte
}

// parsePcap reads a classic capture of raw IP packets by itself, and verifies lengths and checksums.
func parsePcap(t *testing.T, b []byte) []packet {
	t.Helper()
	le := binary.LittleEndian
	require.Equal(t, uint32(0xa1b2c3d4), le.Uint32(b))
	require.Equal(t, []byte{2, 0, 4, 0}, b[4:8])
	require.Equal(t, uint32(101), le.Uint32(b[20:]))
	var packets []packet
	for b = b[24:]; len(b) > 0; {
		at := time.Duration(le.Uint32(b))*time.Second + time.Duration(le.Uint32(b[4:]))*time.Microsecond
		size := int(le.Uint32(b[8:]))
		require.Equal(t, size, int(le.Uint32(b[12:])))
		p := parseIP(t, b[16:16+size])
		p.time = at
		packets = append(packets, p)
		b = b[16+size:]
	}
	return packets
}

func parseIP(t *testing.T, b []byte) packet {
	t.Helper()
	be := binary.BigEndian
	var from, to netip.Addr
	var pseudo, udp []byte
	if b[0] == 0x45 {
		require.Equal(t, len(b), int(be.Uint16(b[2:])))
		require.Equal(t, uint16(0xffff), ones(b[:20]), "header checksum")
		require.EqualValues(t, 17, b[9])
		from, to = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
		pseudo, udp = b[12:20], b[20:]
	} else {
		require.EqualValues(t, 0x60, b[0])
		require.Equal(t, len(b)-40, int(be.Uint16(b[4:])))
		require.EqualValues(t, 17, b[6])
		from, to = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
		pseudo, udp = b[8:40], b[40:]
	}
	require.Equal(t, len(udp), int(be.Uint16(udp[4:])))
	require.NotZero(t, be.Uint16(udp[6:]))
	checked := bytes.Clone(pseudo)
	checked = be.AppendUint16(append(checked, 0, 17), uint16(len(udp)))
	require.Equal(t, uint16(0xffff), ones(append(checked, udp...)), "UDP checksum")
	return packet{from: netip.AddrPortFrom(from, be.Uint16(udp)), to: netip.AddrPortFrom(to, be.Uint16(udp[2:])), payload: udp[8:]}
}

// ones is the one's complement sum, all ones if a checksum within is right.
func ones(b []byte) uint16 {
	sum := 0
	for i, octet := range b {
		sum += int(octet) << (8 * (1 - i%2))
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}

func TestCaptureHoldsWhatWasSent(t *testing.T) {
	nw, host, h, c := twoFamilies(t)
	nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(50)})
	var all, atHost bytes.Buffer
	nw.Pcap(&all)
	host.Pcap(&atHost)
	r := rand.New(rand.NewPCG(1, 2))
	var want []packet
	for i := range 300 {
		payload := make([]byte, r.IntN(1300))
		for k := range payload {
			payload[k] = byte(r.Uint32())
		}
		from, to := at("198.51.100.7:4000"), at("192.0.2.2:7000")
		if i%2 == 1 {
			from, to = at("[2001:db8:7::7]:4000"), at("[2001:db8::2]:7000")
		}
		if i%3 == 0 {
			require.NoError(t, c.Write(payload, to, addrNone))
		} else {
			from, to = to, from
			require.NoError(t, h.Write(payload, to, from.Addr()))
		}
		want = append(want, packet{time.Duration(nw.Now()), from, to, payload})
		nw.RunFor(7 * time.Millisecond)
	}
	nw.RunFor(time.Second)
	require.Equal(t, want, parsePcap(t, all.Bytes()))

	for _, p := range parsePcap(t, atHost.Bytes()) {
		if p.to.Port() == 7000 {
			p.time -= 10 * time.Millisecond
		}
		require.Contains(t, want, p)
	}
	counts := nw.Counts()
	require.Len(t, parsePcap(t, atHost.Bytes()), 200+int(counts.Delivered)-c.Waiting())
	require.NoError(t, nw.WriteError())
}

func TestCaptureHoldsTheLargestAndTheOddest(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	var out bytes.Buffer
	p.nw.Pcap(&out)
	sizes := []int{0, 1, sim.MaxPayload}
	for _, n := range sizes {
		require.NoError(t, p.c.Write(bytes.Repeat([]byte{0xff}, n), p.to, addrNone))
	}
	// A sum of zero must be written as all ones.
	for b := range 1 << 16 {
		_ = p.c.Write([]byte{byte(b >> 8), byte(b)}, p.to, addrNone)
	}
	packets := parsePcap(t, out.Bytes())
	for i, n := range sizes {
		require.Len(t, packets[i].payload, n)
	}
	require.Len(t, packets, len(sizes)+1<<16)
}
