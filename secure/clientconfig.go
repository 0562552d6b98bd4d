package secure

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/gannet-net/gannet/framing/handshake"
)

// ClientConfig says how a [Client] joins. All but Seed may be zero.
type ClientConfig struct {
	// Seed is where all randomness comes from: 32 bytes of crypto/rand, new for each dial.
	Seed Secret
	// HostKey is the static public key of the host. Without it the client takes the one that the host gives, and the session is unverified.
	HostKey Key
	// Static is the private key by which hosts know this client; one for this dial alone if zero.
	Static Secret

	Token []byte // connect token or resume ticket
	PSK   Secret // that belongs to Token

	ConnectData []byte        // for the application of the host, up to 256 bytes
	Fingerprint [8]byte       // of the messages and calls of the application
	Silence     time.Duration // that ends the session at this side, told to the host; in whole milliseconds
	DialTimeout time.Duration // 10 s if zero

	// KeyLogWriter gives away the session, as that of a HostConfig does.
	KeyLogWriter io.Writer
}

func (c *ClientConfig) check() error {
	switch {
	case c.Seed.isZero():
		return errors.New("secure: ClientConfig.Seed is zero: fill it from crypto/rand")
	case len(c.Token) > handshake.MaxToken:
		return fmt.Errorf("secure: ClientConfig.Token has %d bytes: no token has more than %d", len(c.Token), handshake.MaxToken)
	case (len(c.Token) == 0) != c.PSK.isZero():
		return errors.New("secure: ClientConfig.Token and PSK belong together: set both or none")
	case len(c.ConnectData) > handshake.MaxConnectData:
		return fmt.Errorf("secure: ClientConfig.ConnectData has %d bytes: it must be at most %d", len(c.ConnectData), handshake.MaxConnectData)
	case c.DialTimeout < 0, c.Silence < 0, c.Silence/time.Millisecond > math.MaxUint32:
		return errors.New("secure: ClientConfig.DialTimeout and Silence must not be negative, and Silence at most 49 days")
	}
	return nil
}
