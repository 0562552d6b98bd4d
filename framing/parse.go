package framing

import (
	"unicode/utf8"

	"github.com/gannet-net/gannet/wire"
)

// Parse reads the datagram d as a receiver of the given role does: checks 1 to 4 of PROTOCOL.md 6, in that order. It returns
// the frame and Accepted, or the zero Frame and the first check that failed.
//
// Text and Payload of the frame are parts of d, valid as long as d is.
func Parse(d []byte, at Role) (Frame, Drop) {
	if drop := checkHead(d, at); drop != Accepted {
		return Frame{}, drop
	}
	kind := Kind(d[0])
	r := wire.NewReader(d[kindSize:])
	switch kind {
	case KindConnect:
		return parseConnect(r)
	case KindAccept:
		return Frame{Kind: kind, PeerID: r.Uint8()}, Accepted
	case KindRefuse:
		return parseRefuse(r)
	case KindUnreliable:
		return Frame{Kind: kind, Payload: r.Rest()}, Accepted
	case KindReliable:
		return Frame{Kind: kind, Seq: r.Int32(), Payload: r.Rest()}, Accepted
	case KindAck:
		return Frame{Kind: kind, Seq: r.Int32()}, Accepted
	default: // Heartbeat and Disconnect have no body
		return Frame{Kind: kind}, Accepted
	}
}

// checkHead makes the checks that need the size and the first byte only.
func checkHead(d []byte, at Role) Drop {
	switch {
	case len(d) == 0:
		return DropEmpty
	case len(d) > MaxDatagram:
		return DropOversize
	case int(d[0]) >= len(kinds):
		return DropKind
	}
	info := &kinds[d[0]]
	drop := info.atClient
	if at == Host {
		drop = info.atHost
	}
	switch {
	case drop != Accepted:
		return drop
	case len(d) < info.minSize:
		return DropShort
	case len(d) > info.maxSize:
		return DropTrailing
	}
	return Accepted
}

func parseConnect(r wire.Reader) (Frame, Drop) {
	version := r.String()
	switch {
	case r.Err() != nil:
		return Frame{}, DropShort
	case len(version) == 0:
		return Frame{}, DropVersionEmpty
	case len(version) > MaxVersion:
		return Frame{}, DropVersionLong
	case r.Len() > 0:
		return Frame{}, DropTrailing
	case !isVersionText(version):
		return Frame{}, DropVersionChars
	}
	return Frame{Kind: KindConnect, Text: version}, Accepted
}

func parseRefuse(r wire.Reader) (Frame, Drop) {
	reason := r.String()
	switch {
	case r.Err() != nil:
		return Frame{}, DropShort
	case r.Len() > 0:
		return Frame{}, DropTrailing
	case !utf8.Valid(reason):
		return Frame{}, DropText
	}
	return Frame{Kind: KindRefuse, Text: reason}, Accepted
}
