package udp

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/secure"
)

// checkSecure judges what only the secure protocol has.
func (c Config) checkSecure() *ConfigError {
	if c.Protocol == Base {
		return c.checkNothingSecure()
	}
	switch {
	case c.Resume != nil && !c.Resume.usable():
		return &ConfigError{"Resume", "is empty: take what Conn.Ticket gave together with true, or leave it out"}
	case len(c.Token) > handshake.MaxToken:
		return &ConfigError{"Token", fmt.Sprintf("has %d bytes, and no token has more than %d", len(c.Token), handshake.MaxToken)}
	case (len(c.Token) == 0) != (c.PSK == secure.Secret{}):
		return &ConfigError{"PSK", "belongs to Token: set both or none"}
	case c.Resume != nil && c.HostKey != secure.Key{} && c.HostKey != c.Resume.hostKey:
		return &ConfigError{"Resume", "is a ticket of another host than that of HostKey: dial without it, or leave HostKey out to come back to the host of the ticket"}
	case c.Name != [16]byte{} && len(c.TokenKeys) == 0:
		return &ConfigError{"Name", "is compared with that in tokens, and without TokenKeys none is opened: set both or none"}
	case len(c.ConnectData) > handshake.MaxConnectData:
		return &ConfigError{"ConnectData", fmt.Sprintf("has %d bytes: it must be at most %d", len(c.ConnectData), handshake.MaxConnectData)}
	}
	if err := secure.CheckTokenKeys(c.TokenKeys); err != nil {
		return &ConfigError{"TokenKeys", err.Error()}
	}
	return nil
}

// checkNothingSecure finds settings that the base protocol would leave without effect: whoever made them expects to be protected.
func (c Config) checkNothingSecure() *ConfigError {
	settings := []struct {
		field string
		set   bool
	}{
		{"Key", c.Key != secure.Secret{}}, {"Name", c.Name != [16]byte{}}, {"TokenKeys", c.TokenKeys != nil}, {"RequireToken", c.RequireToken},
		{"ClientKey", c.ClientKey != secure.Secret{}}, {"HostKey", c.HostKey != secure.Key{}},
		{"Token", c.Token != nil}, {"PSK", c.PSK != secure.Secret{}}, {"ConnectData", c.ConnectData != nil},
		{"Resume", c.Resume != nil},
		{"Channels", c.Channels != nil}, {"YieldBulk", c.YieldBulk}, {"AckOnTick", c.AckOnTick},
		{"KeyLogWriter", c.KeyLogWriter != nil},
	}
	for _, s := range settings {
		if s.set {
			return &ConfigError{s.field, "has no effect on the base protocol: leave Protocol out for the secure one, or leave this out"}
		}
	}
	return nil
}

// randomness is where an engine draws from. Role, address and time keep those apart that have the same Seed.
func (c Config) randomness(role framing.Role, at netip.AddrPort, now int64) *rand.ChaCha8 {
	var in [32 + 1 + 16 + 2 + 8]byte
	copy(in[:], c.Seed[:])
	addr := at.Addr().As16()
	in[32] = byte(role)
	copy(in[33:], addr[:])
	binary.LittleEndian.PutUint16(in[49:], at.Port())
	binary.LittleEndian.PutUint64(in[51:], uint64(now))
	return rand.NewChaCha8(sha256.Sum256(in[:]))
}

// draw32 takes the next 32 bytes of e's randomness, for a seed.
func (e *engine) draw32() (b secure.Secret) {
	e.random.Read(b[:])
	return b
}

// hostConfig is what the machine that admits strangers needs. It keeps the key of a host that has none for this run.
func (e *engine) hostConfig() secure.HostConfig {
	c := &e.cfg
	key := c.Key
	if key == (secure.Secret{}) {
		key = e.draw32()
	}
	return secure.HostConfig{
		Seed: e.draw32(), Static: key, Peers: registry{e},
		Name: c.Name, TokenKeys: c.TokenKeys, RequireToken: c.RequireToken,
		Fingerprint: c.Catalogue.Fingerprint, Silence: c.Timeout, KeyLogWriter: c.KeyLogWriter,
	}
}

// clientConfig is what the machine that joins needs.
func (e *engine) clientConfig() secure.ClientConfig {
	c := &e.cfg
	k := secure.ClientConfig{
		Seed: e.draw32(), HostKey: c.HostKey, Token: c.Token, PSK: c.PSK,
		ConnectData: c.ConnectData, Fingerprint: c.Catalogue.Fingerprint, Silence: c.Timeout, DialTimeout: c.DialTimeout,
		KeyLogWriter: c.KeyLogWriter,
	}
	if t := c.Resume; t != nil {
		k.HostKey, k.Token, k.PSK = t.hostKey, t.token, t.psk
	}
	k.Static = e.clientKey
	return k
}

// chooseClientKey keeps the private key of a client, because its tickets are for that key alone.
func (e *engine) chooseClientKey() {
	switch {
	case e.cfg.Resume != nil:
		e.clientKey = e.cfg.Resume.clientKey
	case e.cfg.ClientKey != secure.Secret{}:
		e.clientKey = e.cfg.ClientKey
	default:
		e.clientKey = e.draw32()
	}
}
