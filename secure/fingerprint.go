package secure

import "crypto/sha256"

const (
	fingerprintLabel = "GANNET-1 fingerprint"
	fingerprintGroup = 5 // characters
	fingerprintSize  = 4 // groups
)

// Fingerprint is k in 20 letters and digits, such as "k7xq2-...": short enough to be read aloud and compared, and too long for anybody to make
// a key that has the same. It identifies a key that one already has, and cannot be turned into one.
func (k Key) Fingerprint() string {
	sum := sha256.Sum256(append([]byte(fingerprintLabel), k[:]...))
	text := letters.EncodeToString(sum[:])
	groups := text[:fingerprintGroup]
	for i := 1; i < fingerprintSize; i++ {
		groups += "-" + text[i*fingerprintGroup:(i+1)*fingerprintGroup]
	}
	return groups
}
