package secure

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// maxEpochsAhead is how many epochs an Unsealer looks ahead for a packet: those of a week.
const maxEpochsAhead = 1024

// Unsealer opens recorded datagrams of sessions whose keys were logged, in the order of the recording and as often as they come. It follows epochs,
// and finds its way into a recording that begins in the midst of a session. It belongs to one goroutine at a time.
type Unsealer struct {
	opaque
	ways map[uint32][]*way // by the id in the datagrams
}

// Unsealed is what an [Unsealer] found in a datagram.
type Unsealed struct {
	Packet   []byte
	Number   int64 // if a recording begins after 2^30 packets, what is above that is unknown and missing
	Epoch    uint32
	ToHost   bool
	ClientID uint32
	HostID   uint32
}

// Errors of Unsealer.Open.
var (
	ErrNoKeys  = errors.New("no keys of this session in the key log")
	ErrUnknown = errors.New("the logged keys of this id do not open it: it belongs to another session, or was changed on the way")
)

// numberNonce is the nonce of a packet number. Who seals has no memory to spare for one each time: see Session.nonceOf.
func numberNonce(number uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4), number) }

// way is one direction of a session.
type way struct {
	clientID, hostID uint32
	toHost           bool
	highest          int64
	epoch            uint32        // of the highest that was opened
	ciphers          []cipher.AEAD // of all epochs that were needed so far, from 0 on
}

// NewUnsealer reads a key log. Empty lines, and those that begin with "#", do not count.
func NewUnsealer(keyLog string) (*Unsealer, error) {
	u := &Unsealer{ways: map[uint32][]*way{}}
	number := 0
	for line := range strings.Lines(keyLog) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		l, err := parseKeyLogLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		u.add(l.hostID, &way{clientID: l.clientID, hostID: l.hostID, toHost: true, highest: -1, ciphers: []cipher.AEAD{newAESGCM(&l.keys.toHost)}})
		u.add(l.clientID, &way{clientID: l.clientID, hostID: l.hostID, highest: -1, ciphers: []cipher.AEAD{newAESGCM(&l.keys.toClient)}})
	}
	return u, nil
}

func (u *Unsealer) add(id uint32, w *way) { u.ways[id] = append(u.ways[id], w) }

// Open appends the packet in a Sealed datagram to dst. The error is ErrNoKeys or ErrUnknown, or says what breaks the layout.
func (u *Unsealer) Open(dst, d []byte) (Unsealed, error) {
	head, drop := handshake.ParseSealed(d)
	switch {
	case drop != framing.Accepted:
		return Unsealed{}, fmt.Errorf("malformed (%v)", drop)
	case len(u.ways[head.ID]) == 0:
		return Unsealed{}, ErrNoKeys
	}
	for _, w := range u.ways[head.ID] {
		if s, ok := w.open(dst, d, head.Word); ok {
			return s, nil
		}
	}
	return Unsealed{}, ErrUnknown
}

// open tries the epochs that the two bits may mean: that of the highest packet or one before first, and then those ahead.
func (w *way) open(dst, d []byte, word uint32) (Unsealed, bool) {
	number := w.expand(word)
	bits := word >> numberBits
	for epoch := max(w.epoch, 1) - 1; epoch <= w.epoch+maxEpochsAhead; epoch++ {
		if epoch&3 != bits {
			continue
		}
		if packet, ok := w.try(dst, d, number, epoch); ok {
			return Unsealed{Packet: packet, Number: number, Epoch: epoch, ToHost: w.toHost, ClientID: w.clientID, HostID: w.hostID}, true
		}
	}
	return Unsealed{}, false
}

func (w *way) expand(word uint32) int64 {
	number := expand(word, w.highest+1)
	if number < 0 { // nothing was opened yet, and the recording begins late
		number += 1 << numberBits
	}
	return number
}

func (w *way) try(dst, d []byte, number int64, epoch uint32) ([]byte, bool) {
	packet, err := w.cipher(epoch).Open(dst, numberNonce(uint64(number)), d[handshake.SealedHead:], d[:handshake.SealedHead])
	if err != nil {
		return nil, false
	}
	if number > w.highest {
		w.highest, w.epoch = number, epoch
	}
	return packet, true
}

// cipher gives that of an epoch, after all before it.
func (w *way) cipher(epoch uint32) cipher.AEAD {
	for len(w.ciphers) <= int(epoch) {
		next := keyAfter(w.ciphers[len(w.ciphers)-1], numberNonce(math.MaxUint64))
		w.ciphers = append(w.ciphers, newAESGCM(&next))
	}
	return w.ciphers[epoch]
}
