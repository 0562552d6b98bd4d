// Package park is what the server and the players of the derby call each other. Read it first: all that either side may ask of the other is here.
//
// A method of an interface named …Server runs on the server, and players call it; one of an interface named …Client runs at each player, and the server calls it. "go generate" writes what binds
// and calls them. So a player who swings writes
//
//	err := park.BatRef{ID: bat}.Swing(calls.Server(), 12.5)
//
// which runs Swing of the object that the server has bound to that id, if the player owns it.
//
//net:catalogue protocol=PARK-1 codec=bits
package park

//go:generate go tool netgen

import "github.com/gannet-net/gannet/rpc"

// Wood is what a bat is made of.
//
//net:enum
type Wood uint8

// The woods.
const (
	Ash Wood = iota
	Maple
	Oak
)

// Degrees is an angle, in steps of 360 / 4,096 degrees.
//
//net:degrees bits=12
type Degrees float32

// Coins is money.
type Coins uint16

// ParkClient tells a player which bats there are.
//
//rpc:client target=static
type ParkClient interface {
	// Spawned says that a bat is there, whose it is, and the net id by which both sides call it.
	//
	//rpc:call
	Spawned(bat uint32, wood Wood, player uint8)

	// Removed says that its owner has gone, and the bat as well.
	//
	//rpc:call
	Removed(bat uint32)
}

// BatServer is a bat as the server has it.
//
//rpc:server target=instance
type BatServer interface {
	// Swing is for who owns the bat, and for nobody who swings it more often than an arm can.
	//
	//rpc:call from=owner rate=3/s burst=2
	Swing(c rpc.ServerCall, angle Degrees) error
}

// BatClient is the same bat as a player sees it. A call that comes before the bat does waits for it.
//
//rpc:client target=instance missing=queue
type BatClient interface {
	// Swung shows a swing.
	//
	//rpc:call
	Swung(angle Degrees)
}

// ShopServer sells bats.
//
//rpc:server target=static
type ShopServer interface {
	// Price asks what a bat costs. The answer comes within two seconds, or an error that says why not.
	//
	//rpc:call from=any rate=5/s burst=5 deadline=2s
	Price(wood Wood) (coins Coins, err error)
}
