package udp

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// Protocol is what is spoken on the wire.
type Protocol uint8

const (
	// Secure is the protocol GANNET-1 (PROTOCOL.md 16): encrypted, and nobody speaks in the name of somebody else. A host that speaks it
	// still serves clients of the base protocol from the addresses that Config.Plain allows; a client never falls back to it.
	Secure Protocol = iota
	// Base is the plain protocol HRD-LOCAL-1 (PROTOCOL.md 1): no encryption, no proof of who sent a datagram. Use it on loopback and on
	// networks that you trust.
	Base
)

// String gives the name of p.
func (p Protocol) String() string {
	switch p {
	case Secure:
		return "secure"
	case Base:
		return "base"
	}
	return "unknown"
}

// The two driving styles, here so that a Config reads without package transport.
const (
	Background = transport.Background
	GameLoop   = transport.GameLoop
)

// ReaderMode says how a game loop reads a socket without waiting.
type ReaderMode uint8

const (
	// ReadAuto takes ReadNonBlocking where the socket can do it, else ReadDeadline.
	ReadAuto ReaderMode = iota
	// ReadNonBlocking asks the socket and comes back at once. System sockets of Linux, macOS and the BSDs can, and each Config.Socket.
	ReadNonBlocking
	// ReadDeadline reads with a deadline: a Poll that finds the socket empty takes up to 1 ms.
	ReadDeadline
	// ReadGoroutine lets one goroutine read, and Poll take what it has read, up to 256 datagrams a Poll. The background style always reads
	// with a goroutine.
	ReadGoroutine
)

// String gives the name of m.
func (m ReaderMode) String() string {
	switch m {
	case ReadAuto:
		return "auto"
	case ReadNonBlocking:
		return "non-blocking"
	case ReadDeadline:
		return "deadline"
	case ReadGoroutine:
		return "goroutine"
	}
	return "unknown"
}

// Config says how a Host or a dialled Conn works. Every zero field takes its default:
//
//	Protocol              Secure
//	Version               HRD-LOCAL-1        of the base protocol: 1 to 32 printable bytes without spaces; both sides must have the same
//	Plain                 PlainLoopback      hosts only
//	Driving               Background
//	MaxPeers              65,000             1 to 65,000, on the base protocol 250; hosts only
//	MaxPeersPerAddress    64                 likewise; not for loopback addresses, nor for clients with a token
//	Heartbeat             1 s                1 ms and up
//	Timeout               10 s               3 heartbeats to 1 h
//	Linger                3 s                up to 1 h
//	DialTimeout           10 s               up to 1 h, Dial only
//	Unconfirmed           5 s                base protocol, hosts only
//	SendCeiling           4 MiB/s a peer     1,200 B/s to 8 GiB/s; negative is no limit. Loopback addresses have none
//	Budget                130 %              100 to 400
//	SendQueueBytes        2 MiB a peer       1,200 B to 1 GiB
//	SendQueueMessages     4,096 a peer       1 to 1,048,576
//	UnreadBytes           1 MiB a peer       1,200 B to 1 GiB
//	UnreadMessages        1,000 a peer       1 to 1,048,576
//	WindowBytes           1.5 MiB a peer     1,200 B to 1 GiB
//	Channels              ClassGame each     up to 64; weights 1 to 100
//	SocketBuffer          2 MiB              up to 1 GiB; negative leaves the system's
//	Reader                ReadAuto           game loop only
//	Offload               OffloadAuto
//
// Listen and Dial return a *ConfigError for the first field that is out of range, or contradicts another. One by which nobody could ever join is an error
// of Listen.
type Config struct {
	// Protocol is what is spoken. Base must be chosen knowingly.
	Protocol Protocol
	// Version is the version string of the base protocol. A host refuses clients that have another.
	Version string
	// Plain says to which addresses a host speaks the base protocol.
	Plain Plain

	// Key is the private key by which clients know this host: 32 bytes of crypto/rand, drawn once and kept. Give its Public to players, in an
	// invite code say. Zero draws one for this run alone. Hosts only.
	Key secure.Secret
	// Name is what connect tokens for this host have in Claims.Host. It needs TokenKeys. Hosts only.
	Name [16]byte
	// TokenKeys open connect tokens; while one key is replaced by another, give both. Hosts only.
	TokenKeys []secure.TokenKey
	// RequireToken keeps out who has no connect token. It needs TokenKeys. Hosts only.
	RequireToken bool

	// ClientKey is the private key by which hosts know this client again. Zero draws one for this dial alone. Dial only.
	ClientKey secure.Secret
	// HostKey is the public key of the host that is dialled. Without it, and without a token, the session is encrypted, but with whom
	// nobody knows: see Conn.HostVerified. Dial only.
	HostKey secure.Key
	// Token is a connect token, and PSK the secret that came with it. Dial only.
	Token []byte
	PSK   secure.Secret
	// Resume, if not nil, brings the client back with the ticket of a connection before, if possible under the same peer id. What it has
	// stands in for HostKey, ClientKey, Token and PSK. Dial only.
	Resume *Ticket
	// ConnectData is up to 256 bytes for Admit at the host. Dial only.
	ConnectData []byte

	// KeyLogWriter gives away every session: whoever reads what is written there can read all that was recorded of them. It is for looking into one's own
	// captures with udpecho decode, and gets one line in one Write for each session, with a lock held.
	KeyLogWriter io.Writer

	// Catalogue is what the application says over its connections: Router.Catalogue of package msgs. If that of the other side is another one,
	// neither application gets the connection, and each gets a *transport.CatalogueError that names what differs: the client from its dial, the host
	// by Mismatched. The zero value is compared with nothing, on either side. Whoever may connect to a host may read its Description. Explain is called
	// without a lock: inside Dial, in a game loop inside Poll, and at a host where Admit is. Secure protocol only: on the base protocol give both
	// sides a Version that changes with the catalogue.
	Catalogue transport.Catalogue
	// Mismatched, if not nil, is told of each client that was turned away because its catalogue is another one; Admit is not asked about it. It is
	// called as Admit is. Up to 16 wait for it; more are counted alone, in HostStats.Mismatched. What differs is worked out for one text a second, since a
	// stranger can send any: the Err of others says so. Hosts only.
	Mismatched func(Request, *transport.CatalogueError)

	// Driving is who makes things move; see the package comment.
	Driving transport.Driving
	// Handler, in the background style, is called with every event, on one goroutine, in order for each connection and in turn between
	// them. Payloads are lent until it returns. It may call everything, Close included. A handler that blocks holds up the events of all
	// connections, but neither acks nor heartbeats. It may be called before Dial returns.
	Handler func(transport.Event)
	// Admit decides about a client that passed all other checks; nil admits everybody. It is called without a lock: inside Poll in the game
	// loop style, else on the handler's goroutine. It may call everything. With it a client joins in three round trips, without in two: then it
	// knows that it is welcome before the host hears of it. Up to 64 clients wait for it, 16 of one IPv4 address or IPv6 /64 (not of loopback, nor
	// with a token); others are turned away, or on the base protocol dropped, and ask again. If it panics and the game loop recovers, the client is
	// turned away.
	Admit func(Request) *Refusal

	// Clock gives the time in nanoseconds of a monotonic clock. It is read once at each call, with a lock held, and must call nothing
	// of this package but Now, which is the default: the time since the process started.
	Clock func() int64
	// UnixTime gives the time in Unix seconds, by which tokens expire, and by which a sleep of the machine is noticed that Clock has not counted:
	// set both or none for that. It is called with a lock held, and must call nothing of this package. The default is the clock of the system.
	UnixTime func() int64

	MaxPeers           int // connections at once
	MaxPeersPerAddress int // connections at once from one IPv4 address or IPv6 /64

	Heartbeat   time.Duration // silence of our own after which a Heartbeat is sent at the latest
	Timeout     time.Duration // silence of the peer that ends the connection
	Linger      time.Duration // how long a graceful close may take
	DialTimeout time.Duration // how long a dial asks for an answer
	Unconfirmed time.Duration // how long a host keeps a client that asks no more and was not heard

	// SendCeiling bounds what is sent to one peer, in bytes a second; it takes twice that from it. A loop that runs 50 times a second or more has all of it.
	// Nothing else holds back the messages of a game: set it below what the link carries. Bulk finds out by itself what that is.
	SendCeiling int64
	// Budget is how many bytes may be sent for each byte sent for the first time, in percent; 130 is the factor 1.3 of udpecho -budget. It
	// bounds the further copies of repairs. A repair that a message needs is always sent, whatever the budget.
	Budget int

	// Channels say how the messages of each channel compete, from channel 0; those beyond the end are of ClassGame. Downloads belong on a
	// channel of ClassBulk.
	Channels []Channel
	// YieldBulk lets downloads give way to all other traffic on the path, for those that nobody waits for.
	YieldBulk bool
	// AckOnTick lets acknowledgements wait for a datagram that leaves anyway, for up to 50 ms. It saves datagrams where both sides send 20 times a
	// second or more.
	AckOnTick bool

	SendQueueBytes    int // message bytes that Send takes before it returns transport.ErrQueueFull
	SendQueueMessages int // likewise in messages
	UnreadBytes       int // message bytes that wait for the application before the peer has to wait
	UnreadMessages    int // likewise in messages; above 1,024 lets as many, 4,096 at most, be on their way in a channel that a peer floods (PROTOCOL.md 13)
	WindowBytes       int // message bytes that wait for an earlier message

	// FirstSend and FirstReceive are the sequences of the first reliable message each way. Old builds may differ from 0.
	FirstSend, FirstReceive int32

	// PacketConn, if not nil, is used instead of a new socket; the address given to Listen is ignored then. It stays open after
	// Close; to make the reading goroutine leave it, its read deadline is used. A *net.UDPConn is read as fast as an own one, others
	// cost allocations for each datagram.
	PacketConn net.PacketConn
	// Socket, if not nil, is used instead of a new socket, and closed by Close. The background style needs one that is a BlockingSocket.
	Socket Socket
	// Reader is how a game loop reads without waiting. HostStats tells which mode is in use.
	Reader ReaderMode
	// SocketBuffer is the size in bytes asked for the send and receive buffer of an own socket. The system may give less:
	// HostStats has what it gave.
	SocketBuffer int

	// Offload says whether the system joins datagrams. HostStats tells what it does, and how often the evidence was against it.
	Offload OffloadMode

	// Seed is where all randomness comes from, keys of sessions included. The default is drawn from crypto/rand. Set it to replay a simulated run,
	// to another value for each host and client, or they have the same keys. Never set it on a real network: who knows it can read everything.
	Seed secure.Secret

	// Logger gets what an operator should know, each reason at most once in 10 s: reads and writes that fail, a socket that is broken for
	// good, Connects that Plain leaves out, clients with another catalogue, and, once, a Poll in the background style, where it does nothing. The default discards it.
	// It is called without a lock.
	Logger *slog.Logger

	reusePort    bool // several hosts share one port
	foreignClock bool // one of the two clocks is the system's, and the other is not

	// Poison overwrites each payload as soon as the time for which it was lent is over, so that code that kept one is found
	// out. For tests.
	Poison bool
}

// check fills in the defaults and reports the first field that is out of range.
func (c Config) check() (Config, error) {
	c.foreignClock = (c.Clock == nil) != (c.UnixTime == nil)
	c = c.withDefaults()
	for _, problem := range []*ConfigError{c.checkChoices(), c.checkSecure(), c.checkCatalogue(), c.checkPeers(), c.checkSocket(), c.checkMachine()} {
		if problem != nil {
			return c, problem
		}
	}
	return c, nil
}

func (c Config) withDefaults() Config {
	orElse(&c.Version, framing.BaseVersion)
	orElse(&c.MaxPeers, c.maxPeers())
	orElse(&c.MaxPeersPerAddress, 64)
	orElse(&c.Heartbeat, time.Second)
	orElse(&c.Timeout, 10*time.Second)
	orElse(&c.Linger, 3*time.Second)
	orElse(&c.DialTimeout, 10*time.Second)
	orElse(&c.SocketBuffer, 2<<20)
	if c.Clock == nil {
		c.Clock = Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.UnixTime == nil {
		c.UnixTime = func() int64 { return time.Now().Unix() }
	}
	if c.Seed == (secure.Secret{}) {
		rand.Read(c.Seed[:])
	}
	return c
}

// maxPeers is how many peers there are ids for.
func (c Config) maxPeers() int {
	if c.Protocol == Base {
		return framing.MaxPeerID
	}
	return handshake.MaxPeerID
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c Config) checkChoices() *ConfigError {
	switch {
	case c.Protocol > Base:
		return &ConfigError{"Protocol", fmt.Sprintf("%d does not exist: leave it out for udp.Secure, or set udp.Base", c.Protocol)}
	case c.Plain > PlainAny:
		return &ConfigError{"Plain", fmt.Sprintf("%d does not exist: use one of the constants PlainLoopback to PlainAny", c.Plain)}
	case c.Driving > GameLoop:
		return &ConfigError{"Driving", fmt.Sprintf("%d does not exist: set udp.Background or udp.GameLoop", c.Driving)}
	case c.Driving == GameLoop && c.Handler != nil:
		return &ConfigError{"Handler", "a game loop takes its events from Next: leave Handler out or set Driving to udp.Background"}
	}
	if err := framing.CheckVersion(c.Version); err != nil {
		return &ConfigError{"Version", err.Error()}
	}
	return nil
}

func (c Config) checkPeers() *ConfigError {
	if p := inRange("MaxPeers", c.MaxPeers, 1, c.maxPeers()); p != nil {
		return p
	}
	return inRange("MaxPeersPerAddress", c.MaxPeersPerAddress, 1, c.maxPeers())
}

func (c Config) checkSocket() *ConfigError {
	_, blocks := c.Socket.(BlockingSocket)
	switch {
	case c.Socket != nil && c.PacketConn != nil:
		return &ConfigError{"Socket", "set together with PacketConn: leave one of them out"}
	case c.Socket != nil && c.Driving == Background && !blocks:
		return &ConfigError{"Socket", "has no blocking Read, which the background style needs: set Driving to udp.GameLoop"}
	case c.Reader > ReadGoroutine:
		return &ConfigError{"Reader", fmt.Sprintf("%d does not exist: use one of the constants ReadAuto to ReadGoroutine", c.Reader)}
	case c.Offload > OffloadOff:
		return &ConfigError{"Offload", fmt.Sprintf("%d does not exist: use one of the constants OffloadAuto to OffloadOff", c.Offload)}
	case c.Driving == Background && c.Reader != ReadAuto:
		return &ConfigError{"Reader", "is for a game loop, and the background style has a goroutine that reads: leave it out, or set Driving to udp.GameLoop"}
	case c.Socket != nil && c.Reader > ReadNonBlocking:
		return &ConfigError{"Reader", "a Config.Socket is read with its TryRead: leave Reader out"}
	}
	if c.SocketBuffer > 1<<30 {
		return &ConfigError{"SocketBuffer", fmt.Sprintf("%d is out of range: set it up to 1 GiB, or below 0 for the system's", c.SocketBuffer)}
	}
	return nil
}

// checkMachine asks the machine, field by field, so that the error can name the field.
func (c Config) checkMachine() *ConfigError {
	durations := []struct {
		name  string
		value time.Duration
	}{{"Heartbeat", c.Heartbeat}, {"Timeout", c.Timeout}, {"Linger", c.Linger}, {"DialTimeout", c.DialTimeout}, {"Unconfirmed", c.Unconfirmed}}
	for _, d := range durations {
		if d.value < 0 || d.value > time.Hour {
			return &ConfigError{d.name, fmt.Sprintf("%v is out of range: set it above 0 and up to 1h, or leave it out for the default", d.value)}
		}
	}
	if err := c.endpoint(framing.Host).Check(); err != nil {
		return machineError(err)
	}
	return nil
}

func inRange(field string, value, low, high int) *ConfigError {
	if value >= low && value <= high {
		return nil
	}
	return &ConfigError{field, fmt.Sprintf("%d is out of range: set it from %d to %d, or leave it out", value, low, high)}
}

// endpoint is the configuration of one peer's machine, without what differs between peers.
func (c Config) endpoint(role framing.Role) reliable.Config {
	return reliable.Config{
		Role: role, Version: c.Version,
		Heartbeat: c.Heartbeat, Timeout: c.Timeout, Linger: c.Linger, DialTimeout: c.DialTimeout, Unconfirmed: c.Unconfirmed,
		FirstSend: c.FirstSend, FirstReceive: c.FirstReceive,
		SendCeiling: c.SendCeiling, Budget: c.Budget,
		Channels: c.Channels, Background: c.YieldBulk, AckOnTick: c.AckOnTick,
		SendQueueBytes: c.SendQueueBytes, SendQueueMessages: c.SendQueueMessages,
		UnreadBytes: c.UnreadBytes, UnreadMessages: c.UnreadMessages, WindowBytes: c.WindowBytes,
	}
}
