// Package echo is what the calls of gannet are measured with.
//
//net:catalogue protocol=ECHO-1 codec=bits
package echo

//go:generate go tool netgen

// EchoServer runs on the server.
//
//rpc:server target=static
type EchoServer interface {
	// Echo is answered with what it was asked.
	//
	//rpc:call from=any
	Echo(number uint32) (same uint32, err error)

	// Tell is not answered.
	//
	//rpc:call from=any
	Tell(number uint32)
}
