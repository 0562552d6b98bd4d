package main

import (
	"errors"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	frames "github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/secure"
)

// watchedSession is a session of the secure protocol as one end of a simulated connection uses it. The handshake was made before the run, and its
// last packet had number 0: what the client seals in the run begins with 1, though its endpoint counts from 0.
type watchedSession struct {
	*secure.Session
	sealedBefore, openedBefore int64 // packets
	loneAcks                   int   // packets sealed that held nothing but an ack
}

// Seal is that of the session.
func (w *watchedSession) Seal(dst, packet []byte, number int64) []byte {
	if isLoneAck(packet) {
		w.loneAcks++
	}
	return w.Session.Seal(dst, packet, number+w.sealedBefore)
}

// Open is that of the session.
func (w *watchedSession) Open(dst, d []byte, highest int64) ([]byte, int64, framing.Drop) {
	packet, number, drop := w.Session.Open(dst, d, highest)
	return packet, number - w.openedBefore, drop
}

// onePeer keeps the one session of a handshake.
type onePeer struct{}

func (onePeer) TakePeerID(uint16) uint16 { return 1 }
func (onePeer) FreePeerID(uint16)        {}
func (onePeer) HasSession(uint32) bool   { return false }

func (onePeer) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

// shakeHands makes both sides of a session from seeds. It takes no time.
func shakeHands(clientSeed, hostSeed secure.Secret) (client, host *watchedSession, err error) {
	asking, err := secure.NewClient(0, secure.ClientConfig{Seed: clientSeed})
	if err != nil {
		return nil, nil, err
	}
	answering, err := secure.NewHost(0, secure.HostConfig{Seed: hostSeed, Static: hostSeed, Peers: onePeer{}})
	if err != nil {
		return nil, nil, err
	}
	from := netip.AddrPortFrom(netip.IPv4Unspecified(), simPort)
	for range 2 { // Hello and Auth
		answer, _ := answering.Handle(0, 0, nil, asking.PollDatagram(0, nil), from)
		asking.HandleDatagram(0, answer)
	}
	joined, err := asking.Outcome()
	if joined == nil {
		return nil, nil, errors.Join(errors.New("the handshake gave no session"), err)
	}
	first := joined.Session.Seal(nil, []byte{byte(framing.KindHeartbeat)}, 0)
	answering.Handle(0, 0, nil, first, from)
	join, ok := answering.Poll()
	if !ok {
		return nil, nil, errors.New("the host did not take the session")
	}
	return &watchedSession{Session: joined.Session, sealedBefore: 1}, &watchedSession{Session: join.Session, openedBefore: 1}, nil
}

// isLoneAck reports whether a packet holds an ack and nothing that would have had to be sent anyway. A clock rides along for free.
func isLoneAck(p []byte) bool {
	var parser frames.Parser
	var f frames.Frame
	acks := 0
	for parser.Reset(p); parser.Next(&f); {
		switch f.Kind {
		case frames.KindAck:
			acks++
		case frames.KindClock:
		default:
			return false
		}
	}
	return acks > 0
}
