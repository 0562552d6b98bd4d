package system

// Traffic counts what the transport carried. One packet may hold several messages, and a message may take several packets.
type Traffic struct {
	BytesSent, BytesReceived     uint64
	PacketsSent, PacketsReceived uint64
}

// meter is the traffic since it was last reset.
type meter struct {
	total func() Traffic // of the transport since it was made; nil if it does not count
	base  Traffic
}

func (m *meter) reset() {
	if m.total != nil {
		m.base = m.total()
	}
}

func (m *meter) read() Traffic {
	if m.total == nil {
		return Traffic{}
	}
	t := m.total()
	return Traffic{t.BytesSent - m.base.BytesSent, t.BytesReceived - m.base.BytesReceived, t.PacketsSent - m.base.PacketsSent, t.PacketsReceived - m.base.PacketsReceived}
}
