package derby

import "errors"

// Pipe is one end of something that carries whole messages reliably and in order, such as a relay service between friends, and nothing else: no handshake, no ids, no modes.
type Pipe interface {
	// Send takes a copy of one message, or returns an error and takes nothing.
	Send(message []byte) error
	// Next returns a message that has come, in order. It belongs to the caller. It is false if none waits.
	Next() (message []byte, ok bool)
	// Err is nil while the pipe is open, io.EOF once the other end has closed it and all that came was read, and else why it broke.
	Err() error
	// Close ends the pipe. What was sent is still delivered.
	Close() error
	// MaxMessage is the longest message in bytes.
	MaxMessage() int
}

// pipeHello is the first byte of the first message of a host: 2 bytes, of which the second is the number of the peer. Each other message is one of the game.
const pipeHello = 0xFF

var errPipeHello = errors.New("derby: the first message of the host has to be the 2 bytes FF and the peer's id: this pipe does not lead to one")

func parsePipeHello(b []byte) (id uint8, ok bool) {
	if len(b) != 2 || b[0] != pipeHello {
		return 0, false
	}
	return b[1], true
}
