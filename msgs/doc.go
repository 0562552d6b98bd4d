// Package msgs routes typed messages: it finds the handler of each message that comes in, checks what has to be checked before, and sends messages to
// one peer or to many. The messages, and the code that turns them into bytes, are in catalogues that netgen wrote. MESSAGES.md is the authority on both.
//
// # A router
//
// Each side of the sessions has one [Router], made of a [Config] with catalogues and handlers:
//
//	router, err := msgs.NewRouter(msgs.Config{
//		Side:       msgs.Host,
//		Catalogues: []msgs.Mount{{Catalogue: &chat.Catalogue}},
//		Handlers: []msgs.Handler{
//			msgs.On(func(in *msgs.In, m *chat.Say) { _ = in.Relay(in.Router.Except(in.Peer)) }),
//		},
//	})
//
// It does not care how the transport is driven. In a game loop:
//
//	router.Pump(host)  // Poll, and what has come in
//	router.RunFrame()  // what OnFrame handles
//	_ = chat.Tick{Frame: n}.Send(router.All())
//	host.Flush()
//
// In the background style, with the handler of the transport:
//
//	udp.Config{Catalogue: router.Catalogue(), Handler: func(ev transport.Event) { router.Route(ev) }}
//
// where what the game does between messages has to happen in handlers too, because a Router, its peers and its targets belong to one goroutine. In either style
// the Catalogue has both sides compare their messages while they connect: see [Router.Catalogue].
//
// # What is lent
//
// A handler gets a message that it may use until it returns: the struct, its slices, and [In]. Strings may be kept. Send copies.
//
// # What goes wrong
//
// A message that is not handled ends in one counter ([Drop]), and the session lives. A malformed one is logged once for each peer and reason; more
// of them than [Config.Malformed] allows are abuse. A handler that panics is logged with its stack once for each type of message, and the next
// message is handled. A handler that ends its goroutine by runtime.Goexit ends whoever routes, and what the runtime calls fatal ends the
// process: nothing can be done about either here.
//
// # Sessions and frames
//
// Events are handled in the order in which they come, with one exception: what OnFrame handles waits for RunFrame, and is checked for the state
// of the session when its turn comes. Left comes after the last message of a peer, so it may wait with that; what a new session under the same id
// brings waits behind it. What still waits of a peer that this side has closed or kicked is dropped, as transports do with what was not read.
package msgs
