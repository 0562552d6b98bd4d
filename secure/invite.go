package secure

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// MaxAddresses is the most addresses of an [Invite].
const MaxAddresses = 8

// Invite is what a client needs to join a host and be sure that it is that one. It is no secret: who has it can knock, and not be that host.
type Invite struct {
	HostKey   Key
	Addresses []string // 1 to MaxAddresses of the form HOST:PORT, the best first; HOST is a name or an IP address
}

// String gives i as one line that [ParseInvite] reads, such as "gannet-invite1:" and 58 letters and digits and "@play.example.org:7777". Of an
// Invite that Check finds wrong it makes a line that will be refused.
func (i Invite) String() string { return write(inviteForm.label, i.suffix(), i.HostKey[:]) }

func (i *Invite) suffix() string { return "@" + strings.Join(i.Addresses, ",") }

// Check tells what is wrong with i, nil if nothing is.
func (i Invite) Check() error {
	switch {
	case i.HostKey == Key{}:
		return errZeros
	case len(i.Addresses) == 0:
		return errors.New("secure: an invite needs an address of the host, such as play.example.org:7777")
	case len(i.Addresses) > MaxAddresses:
		return fmt.Errorf("secure: an invite with %d addresses: it takes at most %d", len(i.Addresses), MaxAddresses)
	}
	for _, a := range i.Addresses {
		if err := checkAddress(a); err != nil {
			return err
		}
	}
	return nil
}

// ParseInvite reads what Invite.String gives. A text with a mistake, in the key or in an address, is refused.
func ParseInvite(text string) (Invite, error) {
	i, body, err := inviteForm.parseFor(text)
	if err != nil {
		return Invite{}, err
	}
	i.HostKey = Key(body)
	return i, i.Check()
}

// parseFor reads a form that has addresses behind its bytes.
func (f *textForm) parseFor(text string) (i Invite, body []byte, err error) {
	rest, err := f.beyond(strings.TrimSpace(text))
	if err != nil {
		return Invite{}, nil, err
	}
	code, addresses, found := strings.Cut(rest, "@")
	if !found {
		return Invite{}, nil, fmt.Errorf("secure: %s was cut short: behind a \"@\" it has the address of the host: copy the whole line", f.name)
	}
	i.Addresses = strings.Split(addresses, ",")
	body, err = f.read(f.label, code, i.suffix())
	return i, body, err
}

const maxName = 253 // characters of a name in DNS

// checkAddress tells what is wrong with an address that somebody else is to dial.
func checkAddress(a string) error {
	colon := strings.LastIndexByte(a, ':')
	if port, err := strconv.ParseUint(a[colon+1:], 10, 16); colon < 0 || err != nil || port == 0 || a[colon+1] == '0' {
		return fmt.Errorf("secure: address %q: a port from 1 to 65535 is needed, as in play.example.org:7777", a)
	}
	if ip, err := netip.ParseAddrPort(a); err == nil {
		if ip.Addr().IsUnspecified() || ip.Addr().Zone() != "" {
			return fmt.Errorf("secure: address %q: nobody else can dial that: take one by which the host is reached", a)
		}
		return nil
	}
	if !isName(a[:colon]) {
		return fmt.Errorf("secure: address %q: what stands before the port is neither a name nor an IP address; IPv6 has brackets, as in [2001:db8::7]:7777", a)
	}
	return nil
}

// isName reports whether a host has the form of a name: one that is no number, since those are addresses.
func isName(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	return len(host) <= maxName && !slices.Contains(labels, "") && strings.IndexFunc(host, notInName) < 0 &&
		strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}
