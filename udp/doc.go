// Package udp carries gannet connections over UDP: a [Host] that listens, a [Conn] for each peer, [Dial] for the other side.
// Both are thin faces over one engine that reads the socket, finds the peer of each datagram, drives the
// peer's machine (package reliable) and hands events to the application. PROTOCOL.md is the authority on every byte.
//
// # Who is there
//
// The zero Config speaks the secure protocol. To know whom it speaks to, a client needs the public key of the host (Config.HostKey, from Host.Key or
// secure.Secret.Public) or a connect token; else Conn.HostVerified is false. To know a player again, a host needs clients that keep a Config.ClientKey,
// or tokens; Config.Admit and Conn.Identity see it. Keys are 32 bytes of crypto/rand:
//
//	var key secure.Secret
//	rand.Read(key[:])
//
// A host that serves the base protocol as well sees its clients with an empty Identity, and Conn.Encrypted is false.
//
// # Driving
//
// Config.Driving chooses one of two ways to drive the same engine.
//
// In the game loop style nothing runs but the caller. Once a frame it calls Poll, which reads everything that the socket holds and only
// then judges time-outs, Next until it reports false, and Flush. A loop that is not driven by a screen may end its frame with Wait, which sleeps until something
// comes in or is due. Dial returns at once; Connected or DialFailed comes from Next.
// A host and its connections belong to one goroutine. After Close of a host keep driving until Host.Closed reports true, after that of a
// dialled connection until its Disconnected event came: then the socket is closed.
//
// In the background style one goroutine reads the socket, one timer stands for all deadlines, and one goroutine calls Config.Handler,
// Config.Admit and Config.Mismatched if they are set. Dial, Accept, Receive and Close block; every method may be called from any goroutine, and
// from handlers. Send transmits before it returns.
//
// # Events of a connection
//
//	cause                         this side                              the other side
//	Close, everything delivered   Disconnected, ClosedLocally            Disconnected, ClosedByPeer
//	Abort                         Disconnected, ClosedLocally            Disconnected, ClosedByPeer
//	Kick                          Disconnected, Kicked                   Disconnected, ClosedByPeer, with code and text
//	newer connection of a player  Disconnected, Replaced                 Disconnected, ClosedByPeer, transport.CodeReplaced
//	host restarted                nothing                                Disconnected, Forgotten
//	rules of the protocol broken  Disconnected, ProtocolError            Disconnected, ClosedByPeer
//	silence                       Disconnected, TimedOut                 the same, by its own clock
//	socket broken for a second    Disconnected, SocketFailed             Disconnected, TimedOut
//	dial refused                  DialFailed, *transport.RefusedError    nothing
//	catalogues differ             DialFailed, *transport.CatalogueError  nothing; Config.Mismatched
//	dial not answered             DialFailed, *DialTimeoutError          nothing
//
// Connected is always first and Disconnected last, once each; a failed dial has neither. In the background style the error of a failed
// dial is returned by Dial instead, Receive returns the *transport.DisconnectError at the end, and Accept stands for Connected.
// After Close, Abort or Kick no message of that connection is handed out any more.
//
// # Addresses
//
// Addresses are unmapped everywhere: an IPv4 peer has an IPv4 address on sockets of all kinds. A host follows a peer whose address changes as
// soon as it has proved to be there. On the base protocol the address is the identity: a peer whose address changes is a stranger and has to
// dial again. A host that is bound to a wildcard address answers from the address that the client used, where the system tells it (Linux,
// macOS, the BSDs).
//
// # Limits
//
// Datagrams are at most 1200 bytes and are never fragmented. Socket buffers bound what survives while nobody reads: see
// Config.SocketBuffer and HostStats. A write that fails is a lost datagram and is counted. A write waits while the send buffer of
// the system is full.
//
// What Flush, or a Send in the background style, has to say to however many peers leaves with one call of the system where that has one for many datagrams
// (Linux), and what waits is read with one. Nothing waits for others: what leaves together was ready together. HostStats.Writes and Reads count the calls.
// Bulk to one peer leaves in runs that the system cuts, and is joined where it arrives, if it can: see Config.Offload and HostStats. ListenShards lets several cores
// serve one port.
package udp
