package handshake

import "github.com/gannet-net/gannet/framing"

// Version is the version string of the secure protocol.
const Version = "GANNET-1"

// Sizes in bytes of fields, PROTOCOL.md 17.
const (
	RandomSize     = 8  // client random
	CookieSize     = 20 // bucket and tag
	KeySize        = 32 // X25519 public key
	ResetTokenSize = 16
	TagSize        = 16 // of AES-256-GCM
	MaxToken       = 512

	kindSize   = 1
	idSize     = 4
	lengthSize = 2
	wordSize   = 4
	codeSize   = 1

	versionField = lengthSize + len(Version)
)

// Sizes in bytes of datagrams and of what the exchange puts into them, PROTOCOL.md 17.
const (
	HelloSize        = framing.MaxDatagram
	ChallengeSize    = kindSize + idSize + RandomSize + CookieSize + KeySize
	MinAuth          = 512
	MaxAuth          = framing.MaxDatagram
	SecureAcceptSize = kindSize + idSize + Message2Size
	ResetSize        = kindSize + idSize + ResetTokenSize
	SecureRefuseSize = kindSize + idSize + RandomSize + codeSize

	// SealedHead is what stands before the ciphertext of a Sealed, in the clear but authenticated.
	SealedHead = kindSize + idSize + wordSize
	// SealedOverhead is by how much a Sealed is larger than its packet.
	SealedOverhead = SealedHead + TagSize
	// MinSealed is a Sealed of a packet of one byte.
	MinSealed = SealedOverhead + 1

	// AuthHead is what stands before message 1 in an Auth without a token.
	AuthHead = kindSize + versionField + idSize + RandomSize + CookieSize + lengthSize

	// Payload1Head is payload 1 without connect data.
	Payload1Head = FingerprintSize + timeoutSize + lengthSize
	// MaxConnectData is the most connect data that payload 1 takes.
	MaxConnectData = 256
	// Payload2Size is payload 2.
	Payload2Size = idSize + peerIDSize + timeoutSize + ResetTokenSize + FingerprintSize + admittedSize

	// Message1Overhead and Message2Overhead are by how much a message is larger than its payload: keys and tags.
	Message1Overhead = KeySize + KeySize + TagSize + TagSize
	Message2Overhead = KeySize + TagSize
	// MinMessage1 is the smallest message 1.
	MinMessage1 = Message1Overhead + Payload1Head
	// Message2Size is message 2.
	Message2Size = Message2Overhead + Payload2Size

	// FingerprintSize is the fingerprint of an application's messages and calls.
	FingerprintSize = 8

	timeoutSize = 4
	peerIDSize  = 2
	// what a host says of its decision
	admittedSize = 1
)

// MaxPeerID is the largest peer id that a host gives out on the secure protocol.
const MaxPeerID = 65000
