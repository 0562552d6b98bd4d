package secure

import (
	"bytes"
	"encoding/base32"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/wire"
)

// textForm is one of the ways to write something down: a label with a version, bytes and their checksum in base32, and what stands around
// those. PROTOCOL.md 26 has all of them.
type textForm struct {
	label     string
	name      string // for people
	low, high int    // bytes, without the checksum
}

var (
	keyForm      = textForm{"gannet-key1:", "a public key", 32, 32}
	secretForm   = textForm{"gannet-secret1:", "a private key", 32, 32}
	tokenKeyForm = textForm{"gannet-token-key1:", "a token key", 32, 32}
	inviteForm   = textForm{"gannet-invite1:", "an invite code", 32, 32}
	passForm     = textForm{"gannet-pass1:", "a pass", 64 + minToken, 64 + handshake.MaxToken}

	textForms = []*textForm{&keyForm, &secretForm, &tokenKeyForm, &inviteForm, &passForm}
)

const checksumSize = 4

// letters are those of base32 in lower case. They have no 0 and no 1, so that nobody takes them for o and l.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum finds every change of one character, and of neighbours, for certain, and others but for one in 2^32. It is no protection against
// who changes the text on purpose.
func checksum(before, after string, body []byte) []byte {
	sum := crc32.Update(0, castagnoli, []byte(before))
	sum = crc32.Update(sum, castagnoli, []byte(after))
	return wire.AppendUint32(nil, crc32.Update(sum, castagnoli, body))
}

// write puts body between what stands before it, with the label, and what stands after it.
func write(before, after string, body []byte) string {
	sealed := append(bytes.Clone(body), checksum(before, after, body)...)
	return before + letters.EncodeToString(sealed) + after
}

// beyond gives what stands behind the label.
func (f *textForm) beyond(text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, f.label); ok {
		return rest, nil
	}
	for _, other := range textForms {
		if strings.HasPrefix(text, other.label) {
			return "", fmt.Errorf("secure: this is %s, where %s is wanted, which begins with %q", other.name, f.name, f.label)
		}
	}
	if f.isOfAnotherVersion(text) {
		return "", fmt.Errorf("secure: this is %s of a version that this program does not know: update the program", f.name)
	}
	return "", fmt.Errorf("secure: %s begins with %q: copy the whole line", f.name, f.label)
}

func (f *textForm) isOfAnotherVersion(text string) bool {
	stem, _ := strings.CutSuffix(f.label, "1:")
	version, found := strings.CutPrefix(text, stem)
	digits, _, colon := strings.Cut(version, ":")
	return found && colon && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// read gives the bytes that write put into text.
func (f *textForm) read(before, text, after string) ([]byte, error) {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < '2' || r > '7' && r < 'a' || r > 'z' }); i >= 0 {
		return nil, fmt.Errorf("secure: %s has only small letters and the digits 2 to 7 behind its label, and not %q: copy the line again",
			f.name, []rune(text[i:])[0])
	}
	b, err := letters.DecodeString(text)
	switch n := len(b) - checksumSize; {
	case n < f.low:
		return nil, fmt.Errorf("secure: %s was cut short: copy the whole line", f.name)
	case n > f.high:
		return nil, fmt.Errorf("secure: %s is followed by something else: copy that line alone", f.name)
	case err != nil || write(before, after, b[:n]) != before+text+after:
		return nil, fmt.Errorf("secure: a character of %s is wrong or missing: copy the line again", f.name)
	default:
		return b[:n], nil
	}
}

// String gives k as one line that [ParseKey] reads, such as "gannet-key1:" and 58 letters and digits.
func (k Key) String() string { return write(keyForm.label, "", k[:]) }

// ParseKey reads what Key.String gives. A text with a mistake is refused, so a key that was read is the one that was written.
func ParseKey(text string) (Key, error) {
	b, err := keyForm.parse(text)
	if err != nil {
		return Key{}, err
	}
	if k := Key(b); k != (Key{}) {
		return k, nil
	}
	return Key{}, errZeros
}

var errZeros = errors.New("secure: a key of zeros is none: make one with crypto/rand")

// parse reads a form that has nothing around its bytes. Space around the text does not count.
func (f *textForm) parse(text string) ([]byte, error) {
	rest, err := f.beyond(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return f.read(f.label, rest, "")
}

// Reveal gives s as one line that [ParseSecret] reads. It belongs into a file that only its owner can read, and nowhere else.
func (s Secret) Reveal() string { return write(secretForm.label, "", s[:]) }

// ParseSecret reads what Secret.Reveal gives. Errors do not repeat the text.
func ParseSecret(text string) (Secret, error) {
	b, err := secretForm.parse(text)
	if err != nil {
		return Secret{}, err
	}
	if s := Secret(b); !s.isZero() {
		return s, nil
	}
	return Secret{}, errZeros
}
