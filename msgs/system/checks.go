package system

import (
	"log/slog"
	"slices"

	"github.com/gannet-net/gannet/msgs"
)

// legacy are the messages that have no handler of their own where nobody reads legacy bytes.
var legacy = []string{"UpdateReliableBuffer", "UpdateUnreliableBuffer"}

// logMissing logs the messages of the system that a side receives and does not handle.
func logMissing(r *msgs.Router, log *slog.Logger) {
	for _, d := range r.Unhandled() {
		if d.Catalogue == &Catalogue && !slices.Contains(legacy, d.Entry.Name) {
			log.Info("Missing message handler", "message", d.Entry.Name, "id", int(d.Entry.ID))
		}
	}
}

// anyMode are the messages whose mode is chosen when they are sent.
func anyMode() []msgs.Descriptor {
	return []msgs.Descriptor{
		(*HostInvokeMethod)(nil).Descriptor(), (*ClientInvokeMethod)(nil).Descriptor(),
		(*HostPingRequest)(nil).Descriptor(), (*HostPingResponse)(nil).Descriptor(),
		(*ClientPingRequest)(nil).Descriptor(), (*ClientPingResponse)(nil).Descriptor(),
	}
}
