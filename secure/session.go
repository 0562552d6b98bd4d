package secure

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// maxForged is how many packets may fail to open before a session opens nothing any more, PROTOCOL.md 20.
const maxForged = 1 << 36

// Session seals and opens the packets of one session, PROTOCOL.md 20. It fits the Sealer of package reliable. It belongs to one goroutine at a
// time, and neither Seal nor Open allocates but to grow the slice that they are given, and once an epoch.
type Session struct {
	opaque
	newCipher func(*Secret) cipher.AEAD

	local, remote uint32 // ids: ours, and the one that the other side finds the session by
	sealing       epoch
	lastSealed    int64 // -1 if none

	window  window
	current cipher.AEAD
	opening uint32      // number of the epoch of current
	next    cipher.AEAD // nil at a host that has not begun the next epoch
	before  cipher.AEAD // nil once nothing can come under it
	lowest  int64       // that was opened under current
	forged  uint64

	nonce   [12]byte // kept here, since it escapes into the cipher
	rekeys  bool     // this side begins epochs
	limit   int64    // packets of an epoch
	binding [32]byte
	reset   resetToken // at a client; the host computes it
}

// newSession starts a session at epoch 0.
func newSession(role framing.Role, keys *trafficKeys, local, remote uint32, newCipher func(*Secret) cipher.AEAD) *Session {
	s := &Session{
		newCipher: newCipher, local: local, remote: remote,
		lastSealed: -1, window: window{highest: -1}, limit: epochPackets, binding: keys.binding,
	}
	send, receive := &keys.toHost, &keys.toClient
	if role == framing.Host {
		send, receive = receive, send
		s.rekeys = true
	}
	s.sealing.cipher, s.current = newCipher(send), newCipher(receive)
	if role == framing.Client {
		s.next = s.after(s.current)
	}
	return s
}

// newAESGCM is the cipher of GANNET-1.
func newAESGCM(key *Secret) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("BUG: secure: " + err.Error())
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic("BUG: secure: " + err.Error())
	}
	return gcm
}

// ID is the id by which this side finds the session.
func (s *Session) ID() uint32 { return s.local }

// Binding is the handshake hash: the same on both sides, and of no other session. An application may sign it to tie a login to the session.
func (s *Session) Binding() [32]byte { return s.binding }

// Highest is the highest packet number that was opened, -1 if none. When it grows, the newest packet of the peer has just come.
func (s *Session) Highest() int64 { return s.window.highest }

// Overhead is by how much a datagram is larger than its packet, in bytes.
func (s *Session) Overhead() int { return handshake.SealedOverhead }

// Seal appends the datagram that carries a packet to dst. Numbers must grow from one call to the next: the same number twice would break the
// encryption, and panics. The packet may lie in dst already, where its ciphertext will.
func (s *Session) Seal(dst, packet []byte, number int64) []byte {
	if number <= s.lastSealed || number > maxNumber {
		panic("BUG: secure: Seal: packet number is not above the last one")
	}
	s.lastSealed = number
	s.beginEpochIfDue()
	s.sealing.count(len(packet))
	start := len(dst)
	dst = handshake.AppendSealedHead(dst, handshake.Sealed{ID: s.remote, Word: s.sealing.number<<numberBits | uint32(number&numberMask)})
	return s.sealing.cipher.Seal(dst, s.nonceOf(uint64(number)), packet, dst[start:])
}

// Open appends the packet that a datagram carries to dst, which may be d[9:9], and gives its number. A datagram that is dropped changes
// nothing. The last argument is not used: a session knows the highest number that it opened.
func (s *Session) Open(dst, d []byte, _ int64) ([]byte, int64, framing.Drop) {
	c, number, drop := s.judge(d)
	if drop != framing.Accepted {
		return nil, 0, drop
	}
	packet, err := c.Open(dst, s.nonceOf(uint64(number)), d[handshake.SealedHead:], d[:handshake.SealedHead])
	if err != nil {
		s.forged++
		return nil, 0, framing.DropAuth
	}
	s.opened(c, number, len(d))
	return packet, number, framing.Accepted
}

// authentic reports whether Open would accept d, and changes nothing. The packet is written to scratch.
func (s *Session) authentic(scratch, d []byte) framing.Drop {
	c, number, drop := s.judge(d)
	if drop != framing.Accepted {
		return drop
	}
	if _, err := c.Open(scratch, s.nonceOf(uint64(number)), d[handshake.SealedHead:], d[:handshake.SealedHead]); err != nil {
		return framing.DropAuth
	}
	return framing.Accepted
}

// judge makes the checks of PROTOCOL.md 21 that come before the tag, and finds the cipher and the number.
func (s *Session) judge(d []byte) (c cipher.AEAD, number int64, drop framing.Drop) {
	head, drop := handshake.ParseSealed(d)
	switch {
	case drop != framing.Accepted:
		return nil, 0, drop
	case d[0] != byte(handshake.KindSealed):
		return nil, 0, framing.DropKind
	case head.ID != s.local:
		return nil, 0, framing.DropNoPeer
	case s.forged >= maxForged:
		return nil, 0, framing.DropAuth
	}
	number = expand(head.Word, s.window.highest+1)
	c = s.cipherOf(head.Word>>numberBits, number)
	switch {
	case c == nil:
		return nil, 0, framing.DropEpoch
	case number < 0 || number > maxNumber || s.window.has(number):
		return nil, 0, framing.DropDuplicate
	}
	return c, number, framing.Accepted
}

// opened notes a packet whose tag was right.
func (s *Session) opened(c cipher.AEAD, number int64, size int) {
	s.window.add(number)
	s.sealing.count(size)
	switch c {
	case s.next:
		s.promote(number)
	case s.current:
		s.lowest = min(s.lowest, number)
	}
	if s.window.passed(s.lowest - 1) {
		s.before = nil
	}
}

// nonceOf is the nonce of a packet number: the one field of the protocol whose most significant byte comes first, as in Noise.
func (s *Session) nonceOf(number uint64) []byte {
	binary.BigEndian.PutUint64(s.nonce[4:], number)
	return s.nonce[:]
}
