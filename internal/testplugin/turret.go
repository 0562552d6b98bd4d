// Package testplugin is a second contract, as a plugin brings one: both sides register it when the game is running already. No game speaks it.
//
//net:catalogue protocol=TURRET-dev codec=bits
package testplugin

import "github.com/gannet-net/gannet/rpc"

//go:generate go tool netgen

// Pos has the name that the arena has for another type.
type Pos struct {
	Column, Row uint8 `net:"bits=5"`
}

// Shell is what a turret shoots.
//
//net:enum
type Shell uint8

// The shells.
const (
	Smoke Shell = iota
	Flare
)

// PluginServer has what belongs to no object.
//
//rpc:server target=static
type PluginServer interface {
	// Version asks for the version that the server has.
	//
	//rpc:call from=any
	Version(c rpc.ServerCall) (number uint16, err error)
}

// TurretServer runs on the server.
//
//rpc:server target=instance
type TurretServer interface {
	// Aim is for who owns the turret.
	//
	//rpc:call from=owner rate=20/s burst=4
	Aim(c rpc.ServerCall, at Pos) error

	// Load changes what it shoots.
	//
	//rpc:call from=any channel=1
	Load(shell Shell, rounds []Pos)
}

// TurretClient runs on clients.
//
//rpc:client target=instance missing=queue
type TurretClient interface {
	// Aimed tells where the turret looks.
	//
	//rpc:call delivery=unreliable,ordered
	Aimed(c rpc.ClientCall, at Pos)
}
