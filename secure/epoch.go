package secure

import (
	"crypto/cipher"
	"math"
	"time"
)

// When a host begins the next epoch, PROTOCOL.md 20: after so much in both directions together, or so long.
const (
	epochPackets = 1 << 24
	epochBytes   = 1 << 30
	epochTime    = int64(10 * time.Minute)
)

// epoch is what a session seals with.
type epoch struct {
	cipher         cipher.AEAD
	number         uint32
	packets, bytes int64 // under it, in both directions
	since, now     int64
}

func (e *epoch) count(size int) {
	e.packets++
	e.bytes += int64(size)
}

// Tick tells a session of a host the time, in nanoseconds of a monotonic clock, since an epoch ends after 10 minutes. A client's session need
// not know it.
func (s *Session) Tick(now int64) { s.sealing.now = now }

// beginEpochIfDue moves a host on. It never moves twice before the client has followed: a packet of the epoch that came from the client
// proves that the client has it.
func (s *Session) beginEpochIfDue() {
	e := &s.sealing
	due := e.packets >= s.limit || e.bytes >= epochBytes || e.now-e.since >= epochTime
	if s.rekeys && due && s.opening == e.number && s.window.highest >= 0 {
		s.advance()
		s.next = s.after(s.current)
	}
}

// advance moves what is sealed to the next epoch.
func (s *Session) advance() {
	e := &s.sealing
	*e = epoch{cipher: s.after(e.cipher), number: e.number + 1, since: e.now, now: e.now}
}

// promote makes the next epoch the current one, because a packet of it came with the given number.
func (s *Session) promote(number int64) {
	s.before, s.current, s.lowest = s.current, s.next, number
	s.opening++
	s.next = nil
	if !s.rekeys { // a client follows, and may meet the epoch after at any time
		s.advance()
		s.next = s.after(s.current)
	}
}

// cipherOf finds the cipher for the low bits of an epoch and a number, nil if there is none.
func (s *Session) cipherOf(bits uint32, number int64) cipher.AEAD {
	switch (bits - s.opening) & 3 {
	case 0:
		return s.current
	case 1:
		return s.next
	case 3:
		if number < s.lowest {
			return s.before
		}
	}
	return nil
}

// after makes the cipher of the next epoch.
func (s *Session) after(c cipher.AEAD) cipher.AEAD {
	next := keyAfter(c, s.nonceOf(math.MaxUint64))
	return s.newCipher(&next)
}

// keyAfter is the key of the next epoch: REKEY of the Noise specification. Its nonce, the last one, is one that no packet has.
func keyAfter(c cipher.AEAD, lastNonce []byte) (next Secret) {
	copy(next[:], c.Seal(nil, lastNonce, make([]byte, len(next)), nil))
	return next
}
