// Package proxy is a UDP relay in real time whose way is a simulated network of package sim: it stands between any clients and one
// host, and delays, loses, copies and reorders what passes, as [sim.Conditions] say.
//
//	p, err := proxy.New(proxy.Config{
//		Listen: "127.0.0.1:9000", To: "127.0.0.1:7777",
//		Up:     sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(5)},
//		Down:   sim.Conditions{Delay: 25 * time.Millisecond},
//	})
//	go p.Run()
//
// Each client has a socket of its own towards the host, which so sees one address for each, and links of its own: a Rate is that of its
// access, not shared with others. A client that is silent both ways for Config.Idle is forgotten; what it sends afterwards comes to the
// host from another port, as behind a NAT.
//
// # Time
//
// The network's time is the real one. A datagram leaves when it is due, or up to about a millisecond later, as timers of the system have it; those
// that are due in one order leave in that order. What is on its way is held in memory.
//
// # Seeds
//
// The fate of the i-th datagram of a client in one direction is settled by Config.Seed, but for what depends on time, such as outages
// and queues. Clients are told apart by the order in which they come.
//
// # Goroutines
//
// Run reads the clients. Beside it there are one goroutine for each direction and one for each client; none outlives Close. All methods may
// be called from any goroutine.
package proxy
