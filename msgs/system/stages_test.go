package system_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

// A client that is let in takes one of few places on the way, or one of the players. It must go on, or lose it.

func TestWhoCouldNotBeAskedToVerifyDoesNotKeepItsPlace(t *testing.T) {
	w := newWorld(t, flowOf(system.PatientFlow), func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	patient := func(c *system.ClientConfig) { c.Flow = system.PatientFlow }
	g := w.dial(patient)
	w.frames(1)
	g.host.fails = errBroken // its send queue is full
	w.frames(3)
	require.Equal(t, system.StageVerify, g.player().Stage())
	g.host.fails = nil
	w.pass(16 * time.Second)
	require.Equal(t, system.EndRejected, g.ending.Cause)
	w.join(patient)
}

func TestWhoeverTheGamePanicsForDoesNotKeepItsPlace(t *testing.T) {
	spawns, leaves := 0, 0
	w := newWorld(t, func(c *system.ServerConfig) {
		c.MaxPlayers = 1
		c.Spawn = func(*system.Player) system.Accepted {
			if spawns++; spawns == 1 {
				panic("no place to spawn")
			}
			return system.Accepted{}
		}
		c.Left = func(*system.Player) {
			if leaves++; leaves == 1 {
				panic("of an unknown team")
			}
		}
	})
	g := w.dial()
	w.frames(5)
	require.Equal(t, system.StageAccept, g.player().Stage())
	w.pass(16 * time.Second)
	require.Equal(t, system.EndRejected, g.ending.Cause)
	next := w.join()
	next.Disconnect()
	w.frames(5)
	w.join()
	require.Equal(t, []int{3, 1}, []int{spawns, leaves})
}

func TestAServerThatIsAboutToEndTakesNobodyInWhoIsOnTheWay(t *testing.T) {
	var answer func(system.Verdict)
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Verify = func(_ *system.Player, _ *system.Authenticate, a func(system.Verdict)) { answer = a }
	})
	g := w.dial()
	w.frames(3)
	w.server.Shutdown("maintenance", time.Minute)
	answer(system.Verdict{OK: true})
	w.frames(5)
	require.Equal(t, []any{system.EndRejected, system.ReasonShutdown}, []any{g.ending.Cause, g.ending.Reason})
	require.Empty(t, w.news)
}

func TestAShutdownOfAnyWaitEndsWhenItSays(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	w.server.Shutdown("", math.MaxInt64)
	w.frames(3)
	require.Nil(t, g.ending)
	require.Contains(t, g.news, "shutdown in 65535: ")
}

func TestAReasonThatIsTooLongIsToldInPart(t *testing.T) {
	long := strings.Repeat("a", 199) + "ß and more"
	told := strings.Repeat("a", 199)
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Verify = func(p *system.Player, m *system.Authenticate, answer func(system.Verdict)) {
			answer(system.Verdict{OK: m.Ticket == nil, Text: long})
		}
	})
	kicked, banned, stays := w.join(), w.join(), w.join()
	forger := w.dial(func(c *system.ClientConfig) { c.Character.Ticket = []byte("false") })
	w.server.Kick(kicked.player(), system.ReasonOther, long)
	w.server.Ban(banned.player(), "\xff"+long, 0)
	w.frames(5)
	w.server.Shutdown(long, time.Minute)
	w.frames(2)
	require.Equal(t, []string{told, "?" + told, told}, []string{kicked.ending.Text, banned.ending.Text, forger.ending.Text})
	require.Equal(t, "shutdown in 60: "+told, stays.news[len(stays.news)-1])
}

func TestAVerifiedPlayerCannotChangeItsName(t *testing.T) {
	flow := system.Flow{system.StageAuthenticate, system.StageFiles, system.StageReady, system.StageAccept}
	w := newWorld(t, flowOf(flow))
	g := mute(w, flow)
	g.fromClient(reliably, authentication64()...)
	g.fromClient(reliably, pack(field{0, 4}, field{1, 1}, field{0, 1})...)
	name := g.player().Character().Name
	b, err := (&system.ReadyToConnect{Name: "Admin"}).Append(nil)
	require.NoError(t, err)
	g.fromClient(reliably, b...)
	require.True(t, g.player().Playing())
	require.Equal(t, name, g.player().Character().Name)
}

func TestWhereNobodyAsksForAssetsTheyAreNotCompared(t *testing.T) {
	w := newWorld(t)
	g := w.join(func(c *system.ClientConfig) { c.Assets = []system.Asset{{}} })
	w.frames(5)
	require.Nil(t, g.ending)
	require.Zero(t, w.server.Stats().Bad)
}
