package transport

// Driving is who makes a connection move. It is chosen where the connection is made; see the package comment.
type Driving uint8

const (
	// Background: the transport moves by itself. Receive blocks until something comes, or a handler is called; every method may be called
	// from any goroutine, handlers included.
	Background Driving = iota
	// GameLoop: the connection moves only inside Poll, Next and Flush, on the caller's goroutine.
	GameLoop
)

// String gives the name of d.
func (d Driving) String() string {
	switch d {
	case Background:
		return "background"
	case GameLoop:
		return "game loop"
	}
	return "unknown driving"
}
