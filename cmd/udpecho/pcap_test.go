package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
)

// captureFile writes captures as other programs do.
type captureFile struct {
	order       binary.AppendByteOrder
	nanoseconds bool
	link        uint32
}

// of gives the bytes of a capture of these packets, half a second apart.
func (f captureFile) of(packets ...[]byte) []byte {
	magic, fraction := uint32(magicMicroseconds), uint32(500_000)
	if f.nanoseconds {
		magic, fraction = magicNanoseconds, 500_000_000
	}
	if f.order == nil {
		f.order = binary.LittleEndian
	}
	b := f.order.AppendUint32(nil, magic)
	b = append(b, make([]byte, 16)...)
	b = f.order.AppendUint32(b, f.link)
	for i, p := range packets {
		b = f.order.AppendUint32(b, uint32(1_700_000_000+i/2))
		b = f.order.AppendUint32(b, uint32(i%2)*fraction)
		b = f.order.AppendUint32(b, uint32(len(p)))
		b = f.order.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// fromHex reads packets as people write them.
func fromHex(t *testing.T, parts ...string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Join(parts, ""), " ", ""))
	require.NoError(t, err)
	return b
}

// Packets with an Ack of sequence 1 from port 1000 to port 2000.
const (
	udpAck  = "03e8 07d0 000d 0000 06 01000000"
	ipv4Ack = "45000021 0000 4000 40 11 0000 0a000001 0a000002" + udpAck
	ipv6Ack = "60000000 000d 11 40 20010db8000000000000000000000001 20010db8000000000000000000000002" + udpAck
	macs    = "020000000001 020000000002"
)

// decodeBytes runs udpecho decode on a file with that content.
func decodeBytes(t *testing.T, content []byte) result {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pcap")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	return udpecho(t, "decode", name)
}

func TestEveryLinkTypeIsDecoded(t *testing.T) {
	const v4, v6 = "10.0.0.1:1000 > 10.0.0.2:2000  Ack seq 1", "[2001:db8::1]:1000 > [2001:db8::2]:2000  Ack seq 1"
	for _, row := range []struct {
		name   string
		link   uint32
		packet string
		says   string
	}{
		{"Ethernet", linkEthernet, macs + "0800" + ipv4Ack, v4},
		{"Ethernet, IPv6", linkEthernet, macs + "86dd" + ipv6Ack, v6},
		{"Ethernet, padded", linkEthernet, macs + "0800" + ipv4Ack + "000000000000", v4},
		{"Ethernet, IPv6, padded", linkEthernet, macs + "86dd" + ipv6Ack + "0000", v6},
		{"Ethernet with a VLAN", linkEthernet, macs + "8100 0005 0800" + ipv4Ack, v4},
		{"Ethernet with two VLANs", linkEthernet, macs + "88a8 0005 8100 0006 86dd" + ipv6Ack, v6},
		{"Ethernet with a check sequence", linkEthernet | 0x14000000, macs + "0800" + ipv4Ack + "deadbeef", v4},
		{"raw IP", linkRaw, ipv4Ack, v4},
		{"raw IP, IPv6", linkRaw, ipv6Ack, v6},
		{"raw IP of BSD", linkRawBSD, ipv4Ack, v4},
		{"raw IP of OpenBSD", linkRawOther, ipv6Ack, v6},
		{"IPv4", linkIPv4, ipv4Ack, v4},
		{"IPv6", linkIPv6, ipv6Ack, v6},
		{"loopback", linkNull, "02000000" + ipv4Ack, v4},
		{"loopback, other byte order", linkNull, "0000001e" + ipv6Ack, v6},
		{"loopback of OpenBSD", linkLoop, "00000002" + ipv4Ack, v4},
		{"Linux cooked", linkCooked, "0000 0304 0006 0000000000000000 0800" + ipv4Ack, v4},
		{"Linux cooked, IPv6", linkCooked, "0004 0001 0006 0000000000000000 86dd" + ipv6Ack, v6},
		{"Linux cooked 2", linkCooked2, "0800 0000 00000001 0304 00 06 0000000000000000" + ipv4Ack, v4},
		{"IPv4 with options", linkRaw, "46000025 0000 4000 40 11 0000 0a000001 0a000002 01010101" + udpAck, v4},
		{"IPv4 without a total, as a network card makes it", linkRaw, "45000000 0000 4000 40 11 0000 0a000001 0a000002" + udpAck, v4},
		{"IPv6 with extensions", linkRaw, "60000000 0025 00 40 20010db8000000000000000000000001 20010db8000000000000000000000002" +
			"3c 00 0000 00000000" + "2c 00 0000 00000000" + "11 00 0000 00000001" + udpAck, v6},
	} {
		r := decodeBytes(t, captureFile{link: row.link}.of(fromHex(t, row.packet)))
		require.Zero(t, r.code, "%s: %s", row.name, r.err)
		require.Equal(t, "   0.000000  "+row.says+"\n1 datagrams, 0 malformed\n", r.out, row.name)
	}
}

func TestByteOrdersAndResolutionsOfCaptures(t *testing.T) {
	packet := fromHex(t, ipv4Ack)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, nanoseconds := range []bool{false, true} {
			r := decodeBytes(t, captureFile{order, nanoseconds, linkRaw}.of(packet, packet, packet))
			require.Zero(t, r.code, r.err)
			require.Contains(t, r.out, "   0.500000  10.0.0.1:1000")
			require.Contains(t, r.out, "   1.000000  10.0.0.1:1000")
		}
	}
}

func TestPacketsThatAreNotUDPAreCounted(t *testing.T) {
	ethernet := captureFile{link: linkEthernet}
	arp := fromHex(t, macs+"0806 0001080006040001")
	tcp := fromHex(t, macs, "0800", strings.Replace(ipv4Ack, "40 11", "40 06", 1))
	icmp6 := fromHex(t, macs, "86dd", strings.Replace(ipv6Ack, "11 40", "3a 40", 1))
	fragment := fromHex(t, macs, "0800", strings.Replace(ipv4Ack, "4000 40", "2000 40", 1))
	lastFragment := fromHex(t, macs, "0800", strings.Replace(ipv4Ack, "4000 40", "0001 40", 1))
	fragment6 := fromHex(t, macs, "86dd", "60000000 0015 2c 40 20010db8000000000000000000000001 20010db8000000000000000000000002 1100000100000001", udpAck)
	cut := fromHex(t, macs, "0800", ipv4Ack)[:30]
	r := decodeBytes(t, ethernet.of(arp, tcp, icmp6, fragment, lastFragment, fragment6, cut, cut[:13], nil, fromHex(t, macs, "0800", ipv4Ack)))
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "1 datagrams, 0 malformed; skipped 1 packets: not IP; skipped 2 packets: not UDP; "+
		"skipped 3 packets: IP fragments; skipped 3 packets: with headers cut or damaged\n")
}

func TestDatagramsCutByTheCaptureAreNotJudged(t *testing.T) {
	packet := fromHex(t, ipv4Ack)
	r := decodeBytes(t, captureFile{link: linkRaw}.of(packet[:len(packet)-2]))
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "cut by the capture: 3 of 5 bytes are there\n1 datagrams, 0 malformed")
}

func TestMalformedDatagramsAreCounted(t *testing.T) {
	r := decodeBytes(t, captureFile{link: linkRaw}.of(fromHex(t, strings.Replace(ipv4Ack, "06 01", "08 01", 1))))
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "malformed (trailing): Disconnect of 5 bytes, 1 are needed\n1 datagrams, 1 malformed")
}

func TestFilesThatAreNoCaptureSayWhatToDo(t *testing.T) {
	packet := fromHex(t, ipv4Ack)
	good := captureFile{link: linkRaw}.of(packet, packet)
	impossible := bytes.Clone(good)
	binary.LittleEndian.PutUint32(impossible[fileHeader+8:], 1<<31)
	for _, row := range []struct {
		says    string
		content []byte
	}{
		{"editcap -F pcap", fromHex(t, "0a0d0d0a 1c000000 4d3c2b1a 01000000 ffffffffffffffff 1c000000")},
		{"editcap -F pcap", fromHex(t, "0a0d0d0a")},
		{"it has only 0 bytes", nil},
		{"it has only 3 bytes", []byte("abc")},
		{"it has only 10 bytes", good[:10]},
		{"it begins with 6e6f7420", []byte("not a capture, but a text")},
		{"link type 105 is not supported", captureFile{link: 105}.of(packet)},
		{"damaged at packet 2: the file ends after 33 of its 35 bytes", append(bytes.Clone(good[:len(good)-len(packet)-recordHeader]),
			append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 35, 0, 0, 0, 35, 0, 0, 0}, packet...)...)},
		{"damaged at packet 2: the file ends within its header", good[:len(good)-len(packet)-1]},
		{"damaged at packet 1: it claims 2147483648 bytes", impossible},
	} {
		r := decodeBytes(t, row.content)
		require.Equal(t, exitRuntime, r.code, row.says)
		require.Contains(t, r.err, row.says)
		require.Contains(t, r.err, "file.pcap")
	}
}

func TestWhatComesBeforeTheDamageIsDecoded(t *testing.T) {
	packet := fromHex(t, ipv4Ack)
	file := captureFile{link: linkRaw}.of(packet, packet)
	r := decodeBytes(t, file[:len(file)-1])
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.out, "Ack seq 1\n1 datagrams, 0 malformed")
}

func TestCapturesOfTheSimulatorAreDecoded(t *testing.T) {
	var file bytes.Buffer
	nw := sim.New(1)
	a, b := nw.Node("a"), nw.Node("b", netip.MustParseAddr("10.9.9.9"), netip.MustParseAddr("2001:db8::9"))
	nw.Pcap(&file)
	s, err := a.Listen(1000)
	require.NoError(t, err)
	require.NoError(t, s.Write(framing.AppendConnect(nil, "HRD-LOCAL-1"), b.AddrPort(2000), netip.Addr{}))
	nw.RunFor(time.Second)
	r := decodeBytes(t, file.Bytes())
	require.Zero(t, r.code, r.err)
	require.Equal(t, "   0.000000  10.0.0.1:1000 > 10.9.9.9:2000  Connect \"HRD-LOCAL-1\"\n1 datagrams, 0 malformed\n", r.out)
}

func TestHexIsDecodedHoweverItIsWritten(t *testing.T) {
	for _, args := range [][]string{{"0601000000"}, {"06 01 00 00 00"}, {"06", "01", "00", "00", "00"}, {"0x06,0x01,0x00,0x00,0x00"}, {"06:01:00:00:00"},
		{"06-01-00-00-00"}} {
		r := udpecho(t, append([]string{"decode"}, args...)...)
		require.Zero(t, r.code, r.err)
		require.Equal(t, "Ack seq 1\n", r.out)
	}
	require.Equal(t, "malformed (empty): no bytes\n", udpecho(t, "decode", "").out)
}

func TestMissingFilesAndSecondArgumentsAreErrors(t *testing.T) {
	r := udpecho(t, "decode", "missing.pcap")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "missing.pcap")
	name := filepath.Join(t.TempDir(), "a.pcap")
	require.NoError(t, os.WriteFile(name, captureFile{}.of(), 0o600))
	require.Equal(t, exitUsage, udpecho(t, "decode", name, "b.pcap").code)
}

// captures are files of all kinds to spoil.
func captures(t testing.TB) [][]byte {
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		require.NoError(t, err)
		return b
	}
	v4, v6 := unhex(ipv4Ack), unhex(ipv6Ack)
	return [][]byte{
		captureFile{link: linkRaw}.of(v4, v6),
		captureFile{order: binary.BigEndian, nanoseconds: true, link: linkEthernet}.of(unhex(macs+"8100 0005 0800"+ipv4Ack), unhex(macs+"86dd"+ipv6Ack)),
		captureFile{link: linkCooked}.of(unhex("0000 0304 0006 0000000000000000 0800" + ipv4Ack)),
		captureFile{link: linkCooked2}.of(unhex("0800 0000 00000001 0304 00 06 0000000000000000" + ipv4Ack)),
		captureFile{link: linkNull}.of(unhex("02000000" + ipv4Ack)),
		captureFile{link: linkRaw}.of(unhex("60000000 0025 00 40 20010db8000000000000000000000001 20010db8000000000000000000000002" +
			"3c 00 0000 00000000 2b 00 0000 00000000 33 00 0000 00000000" + udpAck)),
	}
}

func TestSpoiledCapturesDoNoHarm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, good := range captures(t) {
		for range 2000 {
			bad := bytes.Clone(good)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
			requireDecodes(t, bad[:random.IntN(len(bad)+1)])
		}
	}
}

// requireDecodes requires an end, and a summary if it was a capture at all.
func requireDecodes(t *testing.T, file []byte) {
	var out bytes.Buffer
	err := decodeCapture(t.Context(), console{&out, io.Discard}, bytes.NewReader(file), nil)
	if err == nil {
		require.Contains(t, out.String(), "datagrams, ")
	}
}

// Datagrams and captures that are cut anywhere, or have a bit or a byte wrong, are put into words all the same.
func TestSpoiledDatagramsAreOneLineEach(t *testing.T) {
	seeds := append(captures(t), []byte("\x01\x0b\x00HRD-LOCAL-1"), []byte("\x03\xff\xff"), nil)
	seeds = append(seeds, record(t).datagrams...)
	for _, good := range seeds {
		for n := range min(len(good), 200) {
			requireOneLine(t, good[:n])
			requireDecodes(t, good[:n])
			for _, x := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
				bad := bytes.Clone(good)
				bad[n] ^= x
				requireOneLine(t, bad)
				requireDecodes(t, bad)
			}
		}
	}
}
