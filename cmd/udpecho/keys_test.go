package main

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
)

// introduced is what a host prints about itself.
type introduced struct {
	addr, key, fingerprint, invite string
}

func introduction(t *testing.T, h *child) (i introduced) {
	i.addr = h.listening()
	for _, field := range []struct {
		name string
		to   *string
	}{{"key ", &i.key}, {"fingerprint ", &i.fingerprint}, {"invite ", &i.invite}} {
		text, found := strings.CutPrefix(h.line(), field.name)
		require.True(t, found, field.name)
		*field.to = text
	}
	return i
}

func TestAHostIntroducesItselfAndIsKnownAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.key")
	h := start(t, "host", "-listen", "127.0.0.1:0", "-key", path)
	i := introduction(t, h)
	invite, err := secure.ParseInvite(i.invite)
	require.NoError(t, err)
	require.Equal(t, []string{i.addr}, invite.Addresses)
	require.Equal(t, i.key, invite.HostKey.String())
	require.Equal(t, i.fingerprint, invite.HostKey.Fingerprint())
	require.Equal(t, keyWords(invite.HostKey), requireRuns(t, "token", "show", path))

	h.signal(signals(t)[0])
	require.Zero(t, h.ends().code)
	again := introduction(t, start(t, "host", "-listen", i.addr, "-key", path, "-address", "play.example.org:7777,192.0.2.7:7777"))
	require.Equal(t, i.key, again.key)
	require.Regexp(t, `@play\.example\.org:7777,192\.0\.2\.7:7777$`, again.invite)
}

func TestAClientKnowsItsHost(t *testing.T) {
	t.Parallel()
	i := introduction(t, start(t, "host", "-listen", "127.0.0.1:0", "-plain", "never"))
	few := []string{"-n", "5", "-rate", "200", "-json"}
	for _, args := range [][]string{{"-invite", i.invite}, {"-host-key", i.key, "-connect", i.addr}, {"-invite", i.invite, "-connect", i.addr}} {
		r := udpecho(t, append(append([]string{"client"}, args...), few...)...)
		require.Zero(t, r.code, r.err)
		require.Empty(t, r.err)
		o := r.object(t)
		require.EqualValues(t, 5, o["delivered"])
		require.Equal(t, true, o["encrypted"])
		require.Equal(t, true, o["verified"])
	}

	r := udpecho(t, append([]string{"client", "-connect", i.addr}, few...)...)
	require.Zero(t, r.code, r.err)
	require.Equal(t, true, r.object(t)["encrypted"])
	require.Equal(t, false, r.object(t)["verified"])
	require.Contains(t, r.err, "nobody knows with whom that was: it had the key with the fingerprint "+i.fingerprint)

	r = udpecho(t, "client", "-host-key", secure.Secret{9}.Public().String(), "-connect", i.addr, "-timeout", "400ms")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "another key than the one dialled")
	require.Equal(t, exitRuntime, udpecho(t, "client", "-base", "-connect", i.addr, "-timeout", "300ms").code)
}

func TestTheNextAddressOfAnInviteIsTried(t *testing.T) {
	t.Parallel()
	i := introduction(t, start(t, "host", "-listen", "127.0.0.1:0"))
	invite, err := secure.ParseInvite(i.invite)
	require.NoError(t, err)
	silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer silent.Close()
	invite.Addresses = []string{silent.LocalAddr().String(), i.addr}
	r := udpecho(t, "client", "-invite", invite.String(), "-n", "3", "-rate", "200", "-timeout", "400ms")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "sent to "+i.addr)
	invite.Addresses = invite.Addresses[:1]
	r = udpecho(t, "client", "-invite", invite.String(), "-timeout", "300ms")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "connecting to "+silent.LocalAddr().String())
}

func TestEveryModeIsEchoedOnTheSecureProtocol(t *testing.T) {
	t.Parallel()
	i := introduction(t, start(t, "host", "-listen", "127.0.0.1:0"))
	for _, mode := range []string{"ordered", "unordered", "sequenced", "reliable-sequenced", "unreliable"} {
		r := udpecho(t, "client", "-invite", i.invite, "-n", "50", "-rate", "500", "-mode", mode, "-json")
		require.Zero(t, r.code, "%s: %s", mode, r.err)
		require.Positive(t, r.object(t)["delivered"], mode)
	}
	r := udpecho(t, "client", "-invite", i.invite, "-n", "3", "-rate", "20", "-size", "100000", "-json")
	require.Zero(t, r.code, r.err)
	require.EqualValues(t, 3, r.object(t)["delivered"])
}

func TestWhereTokensAreNeededOneIsNeeded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys, others, own := filepath.Join(dir, "token.keys"), filepath.Join(dir, "other.keys"), filepath.Join(dir, "client.key")
	requireRuns(t, "token", "new-token-key", keys)
	requireRuns(t, "token", "new-token-key", others)
	i := introduction(t, start(t, "host", "-listen", "127.0.0.1:0", "-token-key", keys, "-name", "lobby 1", "-plain", "never"))
	issue := func(args ...string) string {
		return strings.TrimSpace(requireRuns(t, append([]string{"token", "issue", "-invite", i.invite}, args...)...))
	}
	client := func(args ...string) result {
		return udpecho(t, append([]string{"client", "-n", "3", "-rate", "200", "-timeout", "400ms"}, args...)...)
	}
	r := client("-token", issue("-token-key", keys, "-host-name", "lobby 1"))
	require.Zero(t, r.code, r.err)
	key, _, _ := strings.Cut(strings.TrimPrefix(requireRuns(t, "token", "new-key", own), "key "), "\n")
	bound := issue("-token-key", keys, "-host-name", "lobby 1", "-client", key)
	r = client("-token", bound, "-key", own)
	require.Zero(t, r.code, r.err)
	for name, args := range map[string][]string{
		"no token":             {"-invite", i.invite},
		"another issuer":       {"-token", issue("-token-key", others, "-host-name", "lobby 1")},
		"another host":         {"-token", issue("-token-key", keys, "-host-name", "lobby 2")},
		"the token of another": {"-token", bound},
		"the base protocol":    {"-base", "-connect", i.addr},
	} {
		require.Equal(t, exitRuntime, client(args...).code, name)
	}
	require.Contains(t, client("-invite", i.invite).err, "refused: token")
}

// tap is a relay that records what goes through it.
type tap struct {
	mu      sync.Mutex
	packets [][]byte
}

// record wraps a datagram into what a capture has.
func (p *tap) record(t *testing.T, d []byte) {
	header := fromHex(t, "45000000 0000 4000 40 11 0000 7f000001 7f000001 03e8 07d0")
	header = append(header, byte((len(d)+8)>>8), byte(len(d)+8), 0, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packets = append(p.packets, append(header, d...))
}

// before puts the tap before a host and gives its address. It serves one client.
func (p *tap) before(t *testing.T, host string) string {
	front, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	back, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(host)))
	require.NoError(t, err)
	var client netip.AddrPort
	var both sync.WaitGroup
	both.Go(func() {
		for buf := make([]byte, 2000); ; {
			n, from, err := front.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			p.mu.Lock()
			client = from
			p.mu.Unlock()
			p.record(t, buf[:n])
			_, _ = back.Write(buf[:n])
		}
	})
	both.Go(func() {
		for buf := make([]byte, 2000); ; {
			n, err := back.Read(buf)
			if err != nil {
				return
			}
			p.record(t, buf[:n])
			p.mu.Lock()
			to := client
			p.mu.Unlock()
			_, _ = front.WriteToUDPAddrPort(buf[:n], to)
		}
	})
	t.Cleanup(func() {
		_, _ = front.Close(), back.Close()
		both.Wait()
	})
	return front.LocalAddr().String()
}

func TestACapturedSessionIsReadWithItsKeyLog(t *testing.T) {
	dir := t.TempDir()
	atHost, atClient, file := filepath.Join(dir, "host.log"), filepath.Join(dir, "client.log"), filepath.Join(dir, "a.pcap")
	h := start(t, "host", "-listen", "127.0.0.1:0", "-key-log", atHost)
	i := introduction(t, h)
	h.says("who reads " + atHost + " can read all sessions")
	var p tap
	r := udpecho(t, "client", "-invite", i.invite, "-connect", p.before(t, i.addr), "-n", "5", "-rate", "100", "-size", "33", "-key-log", atClient)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "who reads "+atClient+" can read this session")
	p.mu.Lock()
	require.NoError(t, os.WriteFile(file, captureFile{link: linkRaw}.of(p.packets...), 0o600))
	p.mu.Unlock()
	for _, log := range []string{atHost, atClient} {
		out := requireRuns(t, "decode", "-key", log, file)
		require.Contains(t, out, "Hello from client ")
		require.Contains(t, out, "SecureAccept for client ")
		require.Regexp(t, `Sealed to the host, .*Reliable channel 0 ordered seq \d+ first last, 33 bytes`, out)
		require.Regexp(t, `Sealed to the client, .*Reliable channel 0 ordered seq \d+ first last, 33 bytes`, out)
		require.Contains(t, out, "Disconnect code")
		require.NotContains(t, out, "not opened")
		require.NotContains(t, out, "0 malformed, ")
	}
}
