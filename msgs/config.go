package msgs

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// Config says what a Router knows and whom it tells. Side and Catalogues must be given; every other zero field takes its default.
type Config struct {
	// Side is the end of the sessions at which the router is: Host or Client.
	Side Side

	// Catalogues are those whose messages are routed. The other side needs the same ones on the same channels.
	Catalogues []Mount

	// Handlers are made by On, OnFrame and OnRaw: one at most for each message that this side receives. Router.Add adds more.
	Handlers []Handler

	// Joined is called with each peer when its session begins, before its first message is handled.
	Joined func(*Peer)
	// Left is called with each peer when its session is over and its last message was handled, with the *transport.DisconnectError.
	// It is also called, without Joined before it, at a client whose dial failed, with the error of the dial.
	Left func(*Peer, error)
	// Outcome is called with what became of a message that was sent through Peer.Receipt.
	Outcome func(p *Peer, receipt uint64, fate transport.Fate)

	// Logger gets what an author or an operator should know, none of it for each message. The default discards it.
	Logger *slog.Logger

	// Clock gives nanoseconds, to time handlers by; see MessageStats. Without one nothing is timed, at no cost.
	Clock func() int64

	// Malformed is how many malformed messages a peer may send at once, and how long it takes until it may send as many again. The default is
	// 10 within 2.5 s.
	Malformed Limit
	// OnAbuse is called when a peer has sent more than Malformed allows, in place of the default: at a host, to kick the peer with CodeMalformed if
	// Abuse.Proven, and else to log it once. A client stays: its host may relay, through OnRaw, what another player made to have it leave.
	OnAbuse func(*Peer, Abuse)

	// QueueMessages and QueueBytes bound what waits for RunFrame: 4,096 messages and 1 MiB are the default. The queue is full when either
	// is reached; the last message may reach beyond QueueBytes.
	QueueMessages, QueueBytes int

	// KeepUnread handles a message all the same if bytes are left when it is decoded. They are logged and counted in Stats.Unread.
	KeepUnread bool
}

// Mount puts a catalogue on channels.
type Mount struct {
	Catalogue *Catalogue
	Channel   uint8 // is added to the channels of the entries, so that two catalogues get different ones

	// AnyMode are messages of the catalogue that As may send in another mode than it says, and that may come in so. Both sides need the same ones.
	AnyMode []Descriptor
	// Spare is how many channels after its own SendAs may send a message of AnyMode on. They belong to the catalogue.
	Spare uint8
}

// Limit is a number of events and the time in which they may happen.
type Limit struct {
	Count  int
	Within time.Duration
}

// withDefaults returns c with its zero fields filled in, or what is wrong with the others.
func (c Config) withDefaults() (Config, error) {
	var wrong []error
	if c.Side != Host && c.Side != Client {
		wrong = append(wrong, errors.New("msgs: Side: must be Host or Client"))
	}
	if c.Malformed.Count < 0 || c.Malformed.Within < 0 {
		wrong = append(wrong, errors.New("msgs: Malformed: must not be negative; to tolerate everything, set OnAbuse to a function that does nothing"))
	}
	if c.Malformed.Count == 0 {
		c.Malformed.Count = 10
	}
	if c.Malformed.Within == 0 {
		c.Malformed.Within = 2500 * time.Millisecond
	}
	for _, f := range []struct {
		name  string
		value *int
		none  int
	}{{"QueueMessages", &c.QueueMessages, 4096}, {"QueueBytes", &c.QueueBytes, 1 << 20}} {
		if *f.value < 0 {
			wrong = append(wrong, fmt.Errorf("msgs: %s: must not be negative; 0 stands for %d", f.name, f.none))
		}
		if *f.value == 0 {
			*f.value = f.none
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(wrong...)
}
