package main

import (
	"maps"
	"slices"

	"github.com/gannet-net/gannet/examples/derby/park"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/rpc"
)

// mounts puts the calls beside the messages of the lobby.
var mounts = []msgs.Mount{rpc.Mount(8, 0), {Catalogue: &park.Catalogue, Channel: 9}}

func newCalls(r *msgs.Router) (*rpc.Calls, error) {
	return rpc.New(rpc.Config{Router: r, Contracts: []*rpc.Contract{&park.Contract}})
}

// prices of bats.
var prices = map[park.Wood]park.Coins{park.Ash: 10, park.Maple: 25, park.Oak: 40}

// grounds is what the server has of the park.
type grounds struct {
	*server
	calls  *rpc.Calls
	bats   map[derby.PlayerID]rpc.NetID
	swings []derby.PlayerID       // who has swung, in order
	since  map[derby.PlayerID]int // for who is there, how many swings there were when it came
}

func newGrounds(s *server) (*grounds, error) {
	g := &grounds{server: s, bats: map[derby.PlayerID]rpc.NetID{}, since: map[derby.PlayerID]int{}}
	var err error
	if g.calls, err = newCalls(s.lobby.Router()); err != nil {
		return nil, err
	}
	return g, park.BindShopServer(g.calls, g)
}

// Price is what a player asks.
func (g *grounds) Price(wood park.Wood) (park.Coins, error) { return prices[wood], nil }

// all is everybody in the roster.
func (g *grounds) all() rpc.Audience {
	var peers []*msgs.Peer
	for _, id := range slices.Sorted(maps.Keys(g.bats)) {
		peers = append(peers, g.lobby.Peer(id))
	}
	return g.calls.Only(peers...)
}

// comes spawns the bat of a new player, who first gets to know all others.
func (g *grounds) comes(id derby.PlayerID) {
	peer := g.lobby.Peer(id)
	for _, other := range slices.Sorted(maps.Keys(g.bats)) {
		g.must(park.ParkRef{}.Spawned(g.calls.To(peer), uint32(g.bats[other]), park.Oak, uint8(other)))
	}
	net, err := g.calls.Objects().Claim()
	g.must(err)
	g.must(park.BindBatServer(g.calls, net, &bat{g, id}))
	g.calls.Objects().Own(net, peer)
	g.bats[id], g.since[id] = net, len(g.swings)
	g.must(park.ParkRef{}.Spawned(g.all(), uint32(net), park.Oak, uint8(id)))
}

// goes removes the bat of a player who has gone.
func (g *grounds) goes(id derby.PlayerID) {
	net := g.bats[id]
	delete(g.bats, id)
	delete(g.since, id)
	g.calls.Objects().Release(net)
	g.must(park.ParkRef{}.Removed(g.all(), uint32(net)))
}

// expected is how many swings of others a player should have seen.
func (g *grounds) expected(id derby.PlayerID) (count int) {
	for _, who := range g.swings[g.since[id]:] {
		if who != id {
			count++
		}
	}
	return count
}

// bat is one at the server.
type bat struct {
	*grounds
	owner derby.PlayerID
}

// Swing shows a swing to all but who has made it.
func (b *bat) Swing(c rpc.ServerCall, angle park.Degrees) error {
	b.swings = append(b.swings, b.owner)
	return park.BatRef{ID: c.ID}.Swung(b.all().Except(c.From), angle)
}

// field is what a player sees of the park.
type field struct {
	*player
	calls *rpc.Calls
	own   rpc.NetID
	bats  map[rpc.NetID]derby.PlayerID
	seen  int // swings of others

	asked  int // prices
	prices []park.Coins
}

func newField(p *player) (*field, error) {
	f := &field{player: p, bats: map[rpc.NetID]derby.PlayerID{}}
	var err error
	if f.calls, err = newCalls(p.client.Router()); err != nil {
		return nil, err
	}
	return f, park.BindParkClient(f.calls, f)
}

// Spawned shows a bat.
func (f *field) Spawned(net uint32, _ park.Wood, owner uint8) {
	id := rpc.NetID(net)
	f.bats[id] = derby.PlayerID(owner)
	if f.bats[id] == f.client.ID() {
		f.own = id
	}
	f.must(park.BindBatClient(f.calls, id, &shownBat{f}))
}

// Removed shows it no more.
func (f *field) Removed(net uint32) {
	delete(f.bats, rpc.NetID(net))
	f.calls.Objects().Release(rpc.NetID(net))
}

// shownBat is one that a player sees.
type shownBat struct{ *field }

func (b *shownBat) Swung(park.Degrees) { b.seen++ }

// swing swings the player's own bat.
func (f *field) swing() {
	f.must(park.BatRef{ID: f.own}.Swing(f.calls.Server(), park.Degrees(12*f.team)))
}

// ask asks what a bat costs.
func (f *field) ask(wood park.Wood) {
	f.asked++
	_, err := park.ShopRef{}.Price(f.calls.Server(), wood, func(coins park.Coins, err error) {
		if f.must(err); err == nil {
			f.prices = append(f.prices, coins)
		}
	})
	f.must(err)
}
