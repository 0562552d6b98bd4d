package secure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Pass is all that a client needs to join one host as one player: what a matchmaker gives to it, over a channel that nobody else can read. Who
// has it comes in, unless the token names another client.
type Pass struct {
	Invite
	Token []byte
	PSK   Secret
}

// IssuePass makes a pass for the host of an invite; see Issue, which makes a token alone.
func (k TokenKey) IssuePass(random io.Reader, host Invite, c Claims) (Pass, error) {
	if err := host.Check(); err != nil {
		return Pass{}, err
	}
	if c.Expires <= c.Issued {
		return Pass{}, errors.New("secure: Claims.Expires is not after Claims.Issued: both are Unix seconds, and a minute between them is usual")
	}
	token, psk, err := k.Issue(random, c)
	return Pass{Invite: host, Token: token, PSK: psk}, err
}

// Reveal gives p as one line that [ParsePass] reads. It is as secret as the psk in it.
func (p Pass) Reveal() string {
	return write(passForm.label, p.suffix(), bytes.Join([][]byte{p.HostKey[:], p.PSK[:], p.Token}, nil))
}

// Format writes "(secret)" for every verb.
func (Pass) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// MarshalText gives "(secret)".
func (Pass) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// ParsePass reads what Pass.Reveal gives. A text with a mistake is refused; errors do not repeat it, but for addresses. Whether a host takes the
// token is another matter.
func ParsePass(text string) (Pass, error) {
	i, body, err := passForm.parseFor(text)
	if err != nil {
		return Pass{}, err
	}
	p := Pass{Invite: i}
	n := copy(p.HostKey[:], body)
	n += copy(p.PSK[:], body[n:])
	p.Token = body[n:]
	if p.PSK.isZero() {
		return Pass{}, errZeros
	}
	return p, p.Check()
}
