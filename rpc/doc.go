// Package rpc calls methods on the other side of a session as if they were local. What can be called is a contract: Go interfaces with directives, for
// which netgen writes the code. docs/calls.md goes from an empty folder to calls over a socket, and CALLS.md is the authority on all of it.
//
// # Both sides
//
// A [Calls] is added to the router of package msgs that the game has anyway:
//
//	catalogues := []msgs.Mount{rpc.Mount(0, 0), {Catalogue: &arena.Catalogue}}
//	router, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: catalogues})
//	calls, err := rpc.New(rpc.Config{Router: router, Contracts: []*rpc.Contract{&arena.Contract}})
//
// The catalogue of a contract among those of the router has both sides compare it while they connect, if the transport is given Router.Catalogue. Without it, as with a contract that is registered later,
// a game compares Calls.Fingerprint by itself.
//
// The server binds what it runs, and calls clients through references, which are plain values:
//
//	id, err := calls.Objects().Claim()
//	err = arena.BindDoorServer(calls, id, &door{})       // *door implements arena.DoorServer
//	err = arena.DoorRef{ID: id}.Swung(calls.All(), 42.5) // an Audience says for whom
//
// and so does a client:
//
//	err = arena.BindDoorClient(calls, id, &shownDoor{})
//	err = arena.DoorRef{ID: id}.Toggle(calls.Server(), arena.Locked, pos)
//	_, err = arena.DoorRef{ID: id}.Price(calls.Server(), 7, func(price arena.Coins, err error) { … })
//
// A contract that no package declares is written down as a [Draft].
//
// # The frame
//
// Calls come in while the router is pumped. Beside that the game calls, once a frame,
//
//	calls.Tick(udp.Now())        // the time of the connection's clock; without it no deadline ends
//	calls.Run(rpc.AfterFixed)    // what waits for its physics
//	calls.Run(rpc.BeforeRender)  // and for its picture
//
// # What goes wrong
//
// A call that does not run ends in one counter ([Drop]), and the session lives. What is malformed is judged with the malformed messages of its peer. A method that panics is logged with its
// stack and the calls before it, and the next call runs.
//
// A Calls, its objects, audiences and requests belong to the goroutine of the router. What a method is lent, its slices among it, is its own until it returns.
package rpc
