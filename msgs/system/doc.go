// Package system has the messages by which a client comes to a server, stays and goes, and the two sides that speak them: Server and Client. They join clients
// through a queue, verification and downloads, measure the connection, call methods, and end sessions with a reason.
//
// # Sides
//
// Neither side knows of sockets: events of any transport go in, and messages go out over the connections that they came from. A frame of a game is
//
//	server.Frame(host)   // Poll, what came in, timers
//	…                    // the game moves and sends
//	host.Flush()
//
// and the same with a Client and its connection. In the background style call Route with each event and Tick some ten times a second.
//
// The other side may forge what the transport does not prove. So a connection is ended for what it sent only if the transport proves its sender, or it is in
// this process; else bad messages are ignored and counted.
//
// # The way in
//
// A Flow is the order of the stages through which a client comes into the game; PromptFlow is
//
//	authenticate   the client says who it is, and ServerConfig.Verify judges
//	files          the server lists files, and the client fetches those that it does not have, also what an earlier session began
//	queue          where all places are taken, the client waits and learns how many are before it
//	accept         the client learns its state, the configuration, and who is there; the others learn of it
//
// A message that does not belong to the stage of a client is counted and changes nothing.
//
// # Threads
//
// A Server, a Client and all that they give belong to one goroutine. Nothing in the package is shared between two of them, so different ones may
// run on different goroutines. Readers and writers are made for each message, so handlers may send.
//
// # Messages
//
// A message is packed in bits, and its id is the first field: 5 bits from the host, of 19 messages, and 4 from a client, of 9. Ids never move; those of features that are
// off exist and are dropped. All messages are on channel 0, in the modes and sizes that the base protocol carries. A call follows its id without
// alignment. What the legacy messages carry begins at the next byte, and is read by a reader of bytes.
//
// Nothing is compressed and nothing is held back by type: what a session may use is for the transport, and for the limits of calls, to say.
//
//net:catalogue protocol=SYSTEM-1 codec=bits hostids=19 clientids=9 nofuzz
package system

//go:generate go tool netgen
