package secure

import (
	"errors"
	"io"
	"math"
	"net/netip"
	"time"
)

// Peers is what a [Host] asks of whoever keeps the sessions.
type Peers interface {
	// TakePeerID gives a peer id that is free, 1 to 65000, and 0 if there is none. It gives the one that is wanted if it can: the client had
	// it in a session before. 0 wants none.
	TakePeerID(wanted uint16) uint16
	// FreePeerID takes back one whose session was never confirmed.
	FreePeerID(id uint16)
	// Admits reports whether nothing can speak any more against a client that asks from there, but that it does not confirm its session. unconfirmed
	// others may still confirm theirs, before it. Peers that decide later say no.
	Admits(from netip.AddrPort, who *Identity, unconfirmed int) bool
	// HasSession reports whether a session has the host id.
	HasSession(id uint32) bool
}

// HostConfig says how a [Host] admits clients. All but Seed, Static and Peers may be zero.
type HostConfig struct {
	// Seed is where all randomness comes from: 32 bytes of crypto/rand, new for each run.
	Seed Secret
	// Static is the private key by which clients know this host. It is kept from run to run; what reset tokens and tickets need comes from it.
	Static Secret
	// Peers keeps the sessions.
	Peers Peers

	Name         [16]byte   // that connect tokens for this host have
	TokenKeys    []TokenKey // that open them; SetTokenKeys replaces them
	RequireToken bool       // nobody comes in without a connect token or a resume ticket

	Fingerprint [8]byte       // of the messages and calls of the application
	Silence     time.Duration // that ends a session at this side, told to clients; in whole milliseconds
	RekeyAfter  int64         // packets of one epoch, both directions together; 2^24 if zero

	// KeyLogWriter gives away every session: who reads what is written there can read all that was recorded of them. It is for looking into one's own
	// captures, is nil but then, and gets one line in one Write for each session that was confirmed, PROTOCOL.md 27. Its errors do not count.
	KeyLogWriter io.Writer
}

func (c *HostConfig) check() error {
	switch {
	case c.Seed.isZero():
		return errors.New("secure: HostConfig.Seed is zero: fill it from crypto/rand")
	case c.Static.isZero():
		return errors.New("secure: HostConfig.Static is zero: draw it from crypto/rand once, and keep it")
	case c.Peers == nil:
		return errors.New("secure: HostConfig.Peers is nil: somebody has to give out peer ids")
	case c.Silence < 0, c.Silence/time.Millisecond > math.MaxUint32, c.RekeyAfter < 0, c.RekeyAfter > epochPackets:
		return errors.New("secure: HostConfig.Silence must be 0 to 49 days, RekeyAfter 0 to 2^24")
	}
	return CheckTokenKeys(c.TokenKeys)
}

// CheckTokenKeys reports what is wrong with the keys of a host.
func CheckTokenKeys(keys []TokenKey) error {
	for i, k := range keys {
		switch {
		case k.ID == ticketKeyID:
			return errors.New("secure: a TokenKey has ID 0, which is for resume tickets")
		case k.Key.isZero():
			return errors.New("secure: a TokenKey has a Key of zeros")
		case findKey(keys[:i], k.ID) != nil:
			return errors.New("secure: two TokenKeys have the same ID")
		}
	}
	return nil
}
