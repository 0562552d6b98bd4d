package transport_test

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/gannet-net/gannet/transport"
)

// What a game tells its player when it could not connect, when Send did not take a message, or when the connection has ended.
func ExampleDisconnectError() {
	explain := func(err error) string {
		var refused *transport.RefusedError
		var end *transport.DisconnectError
		switch {
		case errors.As(err, &refused):
			return "the host does not want us: " + refused.Reason
		case errors.Is(err, transport.ErrQueueFull):
			return "the connection is too slow"
		case errors.Is(err, os.ErrDeadlineExceeded):
			return "the host does not answer any more"
		case errors.As(err, &end) && end.Cause == transport.ClosedByPeer:
			return "the host has closed the game"
		case errors.Is(err, net.ErrClosed):
			return "we have left"
		}
		return err.Error()
	}
	fmt.Println(explain(&transport.RefusedError{Reason: "full"}))
	fmt.Println(explain(transport.ErrQueueFull))
	fmt.Println(explain(&transport.DisconnectError{Cause: transport.TimedOut}))
	fmt.Println(explain(&transport.DisconnectError{Cause: transport.ClosedByPeer}))
	fmt.Println(explain(&transport.DisconnectError{Cause: transport.ClosedLocally}))
	// Output:
	// the host does not want us: full
	// the connection is too slow
	// the host does not answer any more
	// the host has closed the game
	// we have left
}
