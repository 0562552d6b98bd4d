// Package rpc calls methods on the other side of a session as if they were local. What can be called is a contract: Go interfaces with directives, for
// which netgen writes the code. CALLS.md is the authority on both, and its beginning shows a contract.
//
// # Both sides
//
// A [Calls] is added to the router of package msgs that the game has anyway:
//
//	router, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{rpc.Mount(0, 0)}})
//	calls, err := rpc.New(rpc.Config{Router: router, Contracts: []*rpc.Contract{&arena.Contract}})
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
//	calls.Tick(now)              // the time of the connection's clock
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
