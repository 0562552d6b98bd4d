package loopback

// budget counts the messages that one end has sent and that still count against it.
type budget struct {
	messages, bytes       int
	maxMessages, maxBytes int
}

// takes reports whether one more message of size bytes fits when lossyCount messages of lossyPayload bytes leave first.
func (b *budget) takes(size, lossyCount, lossyPayload int) bool {
	bytes := b.bytes - lossyPayload
	return b.messages-lossyCount < b.maxMessages && bytes < b.maxBytes && bytes+size <= b.maxBytes
}

// room returns how many more bytes of messages fit.
func (b *budget) room() int {
	if b.messages >= b.maxMessages {
		return 0
	}
	return b.maxBytes - b.bytes
}

func (b *budget) add(size int) {
	b.messages++
	b.bytes += size
}

func (b *budget) remove(size int) {
	b.messages--
	b.bytes -= size
}
