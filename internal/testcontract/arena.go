// Package testcontract is a contract that uses all that calls have, so that generated code and package rpc can be tried on it. No game speaks it.
//
//net:catalogue protocol=ARENA-dev codec=bits states=lobby,playing
package testcontract

import "github.com/gannet-net/gannet/rpc"

//go:generate go tool netgen

// Latch is what a door's latch can be.
//
//net:enum
type Latch uint8

// The latches.
const (
	Open Latch = iota
	Closed
	Locked
)

// Pos is a position in steps of 1/512.
//
//net:fixed int=13 frac=9
type Pos struct{ X, Y, Z float32 }

// Degrees is an angle.
//
//net:degrees bits=12
type Degrees float32

// Coins is money.
type Coins uint32

// Cause is what hurt somebody.
//
//net:enum
type Cause uint8

// The causes.
const (
	Fall Cause = iota
	Bullet
	Fire
	Cold
	Hunger
	Water
	Bite
	Crash
)

// Limb is where.
//
//net:enum
type Limb uint8

// The limbs.
const (
	Head Limb = iota
	Body
	Arm
	Leg
)

// LevelClient runs on clients.
//
//rpc:client target=static
type LevelClient interface {
	// LevelNumber tells which level is loaded.
	//
	//rpc:call
	LevelNumber(number uint8)

	// Notice has text and a list.
	//
	//rpc:call delivery=ordered,unreliable channel=1 phase=beforeRender
	//rpc:arg text max=64
	//rpc:arg players max=8
	Notice(c rpc.ClientCall, text string, players []uint8)

	// Ready asks whether the client is ready.
	//
	//rpc:call deadline=1s
	Ready(c rpc.ClientCall) (ready bool, err error)
}

// LevelServer runs on the server.
//
//rpc:server target=static
type LevelServer interface {
	// Hello has nothing but its context.
	//
	//rpc:call from=any
	Hello(c rpc.ServerCall)

	// Spawn is called rarely.
	//
	//rpc:call from=any rate=2/s states=playing
	Spawn(c rpc.ServerCall, vehicle uint16) error

	// Save is a request without results.
	//
	//rpc:call from=any reply deadline=2s
	Save(c rpc.ServerCall) error

	// Say has a text.
	//
	//rpc:call from=any delivery=ordered,unreliable
	//rpc:arg text lenbits=5
	Say(c rpc.ServerCall, text string)
}

// DoorServer runs on the server; clients call it.
//
//rpc:server target=instance
type DoorServer interface {
	// Toggle is for who owns the door.
	//
	//rpc:call from=owner rate=10/s burst=3
	Toggle(c rpc.ServerCall, want Latch, at Pos) error

	// Price is a request.
	//
	//rpc:call from=any deadline=500ms
	Price(c rpc.ServerCall, item uint16) (Coins, error)
}

// DoorClient runs on clients; the server calls it.
//
//rpc:client target=instance missing=queue wait=2s
type DoorClient interface {
	// Swung tells how far the door stands open.
	//
	//rpc:call delivery=unreliable phase=afterFixed
	Swung(c rpc.ClientCall, angle Degrees)

	// Painted has the vectors' one byte.
	//
	//rpc:call
	Painted(colour uint8)

	// Gone has no queue.
	//
	//rpc:call missing=error
	Gone(c rpc.ClientCall)
}

// LifeServer runs on the server.
//
//rpc:server target=instance
type LifeServer interface {
	// Damage hurts a player.
	//
	//rpc:call from=any
	Damage(damage uint8, force Pos, cause Cause, limb Limb, killer uint64)

	// Heal is for the player's own client.
	//
	//rpc:call from=owner
	Heal(c rpc.ServerCall, amount uint8) error
}
