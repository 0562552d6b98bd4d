package drivers

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// sealHead and sealTag are the bytes that the secure protocol spends on a datagram: kind, id and the low bits of the number, and the tag.
const (
	sealHead     = 9
	sealTag      = 16
	sealOverhead = sealHead + sealTag
)

// The two ends of a connection, each with a key for what it sends.
const (
	roleHost   byte = 1
	roleClient byte = 2
)

// seal protects datagrams as the secure protocol does: AES-256-GCM, the head as additional data, a nonce of the number. The keys are no secret.
type seal struct {
	sending, receiving         cipher.AEAD
	number                     uint64
	sendingNonce, receiveNonce [12]byte
}

func newSeal(role byte) *seal {
	other := roleHost + roleClient - role
	return &seal{sending: newGCM(role), receiving: newGCM(other)}
}

func newGCM(key byte) cipher.AEAD {
	block, err := aes.NewCipher([]byte{31: key})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return gcm
}

// seal appends the datagram that carries a message.
func (s *seal) seal(dst, message []byte) []byte {
	s.number++
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(append(dst, 1), 7)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.number))
	binary.BigEndian.PutUint64(s.sendingNonce[4:], s.number)
	return s.sending.Seal(dst, s.sendingNonce[:], message, dst[start:])
}

// open gives the message of a datagram, in place, nil if it was not sealed so.
func (s *seal) open(datagram []byte) []byte {
	if len(datagram) < sealOverhead {
		return nil
	}
	head := datagram[:sealHead]
	binary.BigEndian.PutUint64(s.receiveNonce[4:], uint64(binary.LittleEndian.Uint32(head[5:])))
	message, err := s.receiving.Open(datagram[sealHead:sealHead], s.receiveNonce[:], datagram[sealHead:], head)
	if err != nil {
		return nil
	}
	return message
}
