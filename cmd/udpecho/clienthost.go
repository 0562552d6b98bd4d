package main

import (
	"fmt"
	"os"

	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/secure/keyfile"
	"github.com/gannet-net/gannet/udp"
)

// clientHost is which host a client joins, and what it knows and shows.
type clientHost struct {
	connect, invite, hostKey, pass string // as they were given
	keyFile, keyLog                string

	secure.Pass // what follows from them; Token may be missing
	addresses   []string
}

func (h *clientHost) register(fs *flags) {
	fs.StringVar(&h.connect, "connect", "127.0.0.1:7777", "`ADDR` of the host; -invite and -token have one")
	fs.StringVar(&h.invite, "invite", "", "`CODE` of the host, which it prints: address and key")
	fs.StringVar(&h.hostKey, "host-key", "", "`KEY` of the host, which it prints; without, -invite or -token, the session is encrypted, but with whom nobody knows")
	fs.StringVar(&h.pass, "token", "", "`LINE` of \"udpecho token issue\": address, key and token")
	fs.StringVar(&h.keyFile, "key", "", "`FILE` with the private key by which hosts know this client, made if there is none")
	fs.StringVar(&h.keyLog, "key-log", "", "`FILE` to which the keys of the session are added, which gives it away: for udpecho decode -key")
}

// settle reads what the flags say.
func (h *clientHost) settle(fs *flags, base bool) error {
	var ways []string
	for _, name := range []string{"invite", "host-key", "token", "key", "key-log"} {
		if !fs.given(name) {
			continue
		}
		if base {
			return usagef("-%s: the base protocol has no keys: leave out -base", name)
		}
		if name != "key" && name != "key-log" {
			ways = append(ways, "-"+name)
		}
	}
	if len(ways) > 1 {
		return usagef("%s and %s both say which key the host has: give one of them", ways[0], ways[1])
	}
	err := firstError(parseFlag("invite", h.invite, &h.Invite, secure.ParseInvite), parseFlag("token", h.pass, &h.Pass, secure.ParsePass),
		parseFlag("host-key", h.hostKey, &h.HostKey, secure.ParseKey))
	if err != nil {
		return err
	}
	h.addresses = h.Addresses
	if len(h.addresses) == 0 || fs.given("connect") {
		h.addresses = []string{h.connect}
		return checkAddress("connect", h.connect, false)
	}
	return nil
}

// config is what a dial needs to know of it. The key log, which may be nil, is to be closed after the connection.
func (h *clientHost) config() (c udp.Config, log *os.File, err error) {
	c.HostKey, c.Token, c.PSK = h.HostKey, h.Token, h.PSK
	if h.keyFile != "" {
		if c.ClientKey, err = keyfile.LoadOrMake(h.keyFile); err != nil {
			return c, nil, fmt.Errorf("-key: %w", err)
		}
	}
	log, err = openKeyLog(h.keyLog, &c)
	return c, log, err
}

// openKeyLog lets the keys of sessions be added to a file. The file, which is nil if there is no path, is to be closed after the sessions.
func openKeyLog(path string, c *udp.Config) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	log, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-key-log: %w", err)
	}
	c.KeyLogWriter = log
	return log, nil
}
