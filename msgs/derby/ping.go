package derby

// Ping asks for a Pong.
//
//net:message id=1 from=both
type Ping struct {
	Sent float64 // seconds of the sender's clock
}

// Pong gives back what a Ping had in it.
//
//net:message id=2 from=both
type Pong struct {
	Sent float64 // that of the Ping
}
