package transporttest

import (
	"sync"
	"testing"

	"github.com/gannet-net/gannet/transport"
)

// Options says what kind of pair a test needs.
type Options struct {
	// Driving is the style of both ends.
	Driving transport.Driving

	// ClientHandler and HostHandler are the handlers of the two ends. Both are nil or both are set, and then Driving is Background.
	ClientHandler, HostHandler func(transport.Event)

	// QueueMessages, if not 0, is the limit of the send queues, and of the messages that may wait to be read, at both ends.
	QueueMessages int

	// Poison asks for payloads to be overwritten once the time for which they were lent is over.
	Poison bool

	// Dialling asks for a client that has not heard from its host yet. Pair.Host may be nil then. A transport that connects at once ignores
	// it. Driving is GameLoop.
	Dialling bool
}

// Pair is two ends of one connection. In a game loop none of their events has been read yet, the Connected events included, and
// all of them come out of Next of the end that they belong to.
type Pair struct {
	Client, Host transport.Conn

	// Advance drives both ends of a game loop until both are quiet: it polls and flushes them, and lets some time pass where the transport needs
	// that to go on. It never calls Next. The suite calls it again for as long as something is awaited, and may leave it nil elsewhere.
	Advance func()

	// Stop releases everything, with the connection open or closed. No handler is running or called again when it returns. It is called
	// once, when the test that asked for the pair is over, and does not use its T. Other pairs are in use meanwhile. After it Next and
	// Receive find nothing new.
	Stop func()
}

// promise is one subtest, run in each of its styles.
type promise struct {
	name   string
	styles []style
	check  func(*trial)
}

// suite is one run of all promises.
type suite struct {
	*testing.T
	newPair func(*testing.T, Options) Pair

	// probe is one end of a pair that only tells what the transport has.
	probe transport.Conn

	// stopping are the pairs that are being stopped, which takes a transport some time, while the suite goes on.
	stopping sync.WaitGroup
}

// Run checks all promises on pairs that newPair makes. newPair fails the test itself if it cannot make one.
func Run(t *testing.T, newPair func(t *testing.T, o Options) Pair) {
	probe := newPair(t, Options{})
	s := &suite{T: t, newPair: newPair, probe: probe.Client}
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			for _, style := range p.styles {
				t.Run(style.name, func(t *testing.T) { p.check(&trial{T: t, suite: s, style: style}) })
			}
		})
	}
	s.stopping.Go(probe.Stop)
	s.stopping.Wait()
}

func promises() []promise {
	var all []promise
	for _, concern := range [][]promise{
		lifecycle, closing, delivery, limits, backPressure, receipts, payloads, receiving, inside, concurrency,
	} {
		all = append(all, concern...)
	}
	return all
}
