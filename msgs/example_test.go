package msgs_test

import (
	"fmt"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// A host passes on what players say, and greets those who join. Here the events are made by hand; in a game they come from Pump, or from the handler of the transport.
func Example() {
	router, err := msgs.NewRouter(msgs.Config{
		Side:       msgs.Host,
		Catalogues: []msgs.Mount{{Catalogue: &chat}},
		Handlers: []msgs.Handler{
			msgs.On(func(in *msgs.In, m *Say) {
				fmt.Printf("%v says %q\n", in.Peer, m.Text)
				if err := in.Relay(in.Router.Except(in.Peer)); err != nil {
					fmt.Println(err)
				}
			}),
		},
		Joined: func(p *msgs.Peer) {
			if err := (Say{Text: "welcome"}).Send(p); err != nil {
				fmt.Println(err)
			}
		},
	})
	if err != nil {
		panic(err)
	}
	ann, bob := &conn{id: 1}, &conn{id: 2}
	router.Route(transport.Event{Kind: transport.Connected, Conn: ann})
	router.Route(transport.Event{Kind: transport.Connected, Conn: bob})
	router.Route(transport.Event{Kind: transport.Message, Conn: ann, Payload: encoded(&Say{Text: "hello"}), Delivery: transport.ReliableOrdered})
	fmt.Printf("ann gets %q\nbob gets %q\n", ann.payloads(), bob.payloads())
	// Output:
	// player 1 says "hello"
	// ann gets ["\x01\x00\a\x00welcome"]
	// bob gets ["\x01\x00\a\x00welcome" "\x01\x00\x05\x00hello"]
}

// Mistakes are found when the router is made, all at once.
func ExampleNewRouter() {
	_, err := msgs.NewRouter(msgs.Config{
		Side:       msgs.Client,
		Catalogues: []msgs.Mount{{Catalogue: &chat, Channel: 63}},
		Handlers: []msgs.Handler{
			msgs.On(func(*msgs.In, *Move) {}),
		},
	})
	fmt.Println(err)
	// Output:
	// msgs: Catalogues[0]: message Map would be on channel 64: the last is 63, so take a smaller Channel
	// msgs: Handlers[0]: message Move never comes in here, because only this side sends it: handle it on the other side, or declare it from=both
}

// What a player may do depends on the state that the session is in.
func ExamplePeer_Enter() {
	router, _ := msgs.NewRouter(msgs.Config{
		Side:       msgs.Host,
		Catalogues: []msgs.Mount{{Catalogue: &chat}},
		Handlers: []msgs.Handler{
			msgs.On(func(in *msgs.In, m *Shoot) { fmt.Println(in.Peer, "shoots at", m.At) }),
		},
	})
	ann := &conn{id: 1}
	router.Route(transport.Event{Kind: transport.Connected, Conn: ann})
	shot := transport.Event{Kind: transport.Message, Conn: ann, Payload: encoded(&Shoot{At: 7}), Delivery: transport.ReliableOrdered}
	router.Route(shot)
	fmt.Println(router.Stats().Drops)
	_ = router.Peer(1).Enter(playing)
	router.Route(shot)
	// Output:
	// state=1
	// player 1 shoots at 7
}
