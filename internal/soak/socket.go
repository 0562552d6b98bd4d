package soak

import (
	"github.com/gannet-net/gannet/internal/inside"
	"github.com/gannet-net/gannet/sim"
)

// socket shows the engine that uses it.
type socket struct {
	*sim.Socket
	look   func() inside.State
	broken bool // closed under whoever uses it

	endless bool // more waits in it than anybody reads
	served  int  // datagrams of these, since the Poll began
}

func (m *machine) sockBroken() bool { return m.sock.broken }

var _ inside.Viewer = (*socket)(nil)

// Show keeps the way to look.
func (s *socket) Show(look func() inside.State) { s.look = look }
