package system_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

func configurationIsReplaced(t *testing.T) {
	game := system.ReplicateConfig{Events: system.EventConfig{CompactorSpeed: []float32{3, 2}}, Loot: system.LootConfig{Chance: []float32{0.5}}}
	w := newWorld(t, func(c *system.ServerConfig) { c.Game = game })
	g := w.dial()
	w.frames(10)
	require.Equal(t, []float32{3, 2}, g.Game().Events.CompactorSpeed)
	require.Len(t, logLines(g.log.String(), "Received server config"), 1)
	g.fromHost(reliably, configuration()...)
	require.Equal(t, float32(1), g.Game().Damage.Player)
	kept := g.Game().Loot.Chance
	require.NoError(t, w.server.Send(g.player(), game))
	w.frames(2)
	require.Equal(t, &game, g.Game(), "all of it, nothing of the one before")
	require.Equal(t, []float32{7}, kept, "and what the game kept stays as it was")
}

func configurationGroups(t *testing.T) {
	groups := map[string][]string{
		"Damage":    {"Player", "Creature", "Animal", "Vehicle", "Building", "Resource"},
		"Events":    {"RainFirst", "AirdropEvery", "ArenaClear", "ArenaFinale", "CompactorSpeed", "CompactorDelay"},
		"Spawns":    {"Creatures", "Animals", "Vehicles", "RespawnSeconds"},
		"Inventory": {"FoodUse", "Width", "Height"},
		"Buildings": {"PerPlayer", "PerGroup", "Range"},
		"Loot":      {"Chance", "DespawnDropped"},
	}
	l, err := system.Catalogue.Layout()
	require.NoError(t, err)
	sent := map[string][]string{}
	for _, m := range l.Messages {
		if m.Name == "ReplicateConfig" {
			for _, group := range m.Fields {
				for _, f := range group.Fields {
					sent[group.Name] = append(sent[group.Name], f.Name)
				}
			}
		}
	}
	require.Len(t, sent, len(groups))
	for group, fields := range groups {
		require.Subset(t, sent[group], fields)
	}
}

func assetsAreCompared(t *testing.T) {
	var assets []system.Asset
	for i := range byte(50) { // three messages
		assets = append(assets, system.Asset{ID: system.GUID{i}, Hash: [32]byte{i}})
	}
	needs := func(c *system.ServerConfig) { c.Assets = assets }
	honest := newWorld(t, needs)
	g := honest.join(func(c *system.ClientConfig) { c.Assets = assets })
	require.True(t, g.player().Validated())
	honest.pass(2 * time.Minute)
	require.Nil(t, g.ending)

	changed := append([]system.Asset(nil), assets...)
	changed[30].Hash[31] ^= 1
	more := append([]system.Asset{{ID: system.GUID{99}}}, assets...)
	for name, theirs := range map[string][]system.Asset{"changed": changed, "too few": assets[:49], "one of its own": more} {
		w := newWorld(t, needs)
		g := w.dial(func(c *system.ClientConfig) { c.Assets = theirs })
		w.frames(15)
		require.NotNil(t, g.ending, name)
		require.Equal(t, []any{system.EndKicked, system.ReasonAssets}, []any{g.ending.Cause, g.ending.Reason}, name)
	}

	silent := newWorld(t, needs)
	g = silent.join()
	silent.pass(61 * time.Second)
	require.Equal(t, []any{system.EndKicked, system.ReasonAssets}, []any{g.ending.Cause, g.ending.Reason})
}

func acceptedTellsAll(t *testing.T) {
	require.GreaterOrEqual(t, reflect.TypeFor[system.Accepted]().NumField(), 30)
	var got []system.Accepted
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Spawn = func(*system.Player) system.Accepted {
			return system.Accepted{At: system.Position{X: 1.5, Y: -4096, Z: 4095.9921875}, Angle: 270, Health: 90, Items: []system.Item{{ID: 5}}}
		}
		c.MaxPlayers = 9
	})
	for range 2 {
		w.join(func(c *system.ClientConfig) {
			c.Character.Look = system.Look{Face: 1, Hair: 2, Beard: 3}
			c.Accepted = func(m *system.Accepted) { got = append(got, *m) }
		})
	}
	require.Equal(t, system.Accepted{Player: 2, NetID: 18, Block: 17, At: system.Position{X: 1.5, Y: -4096, Z: 4095.9921875}, Angle: 270, Name: "player2",
		Look: system.Look{Face: 1, Hair: 2, Beard: 3}, Health: 90, Items: []system.Item{{ID: 5}}, MaxPlayers: 9}, got[1])
	require.Equal(t, system.NetID(1), got[0].NetID, "blocks of 17 ids, one behind the other")
}

func reasonsAreTold(t *testing.T) {
	full := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers, c.MaxQueue = 1, -1 })
	full.join()
	g := full.dial()
	full.frames(10)
	require.Equal(t, []any{system.EndRejected, system.ReasonFull}, []any{g.ending.Cause, g.ending.Reason})
	require.NotEmpty(t, g.ending.Text)

	versions := newWorld(t, func(c *system.ServerConfig) { c.Version = 2 })
	g = versions.dial()
	versions.frames(10)
	require.Equal(t, []any{system.EndRejected, system.ReasonVersion}, []any{g.ending.Cause, g.ending.Reason})

	w := newWorld(t)
	g = w.join()
	w.server.Kick(g.player(), system.ReasonOther, "shouting")
	w.frames(2)
	require.Equal(t, []any{system.EndKicked, "shouting"}, []any{g.ending.Cause, g.ending.Text})

	g = w.join()
	w.server.Ban(g.player(), "cheating", time.Minute)
	w.frames(2)
	require.Equal(t, []any{system.EndBanned, "cheating", uint32(60)}, []any{g.ending.Cause, g.ending.Text, g.ending.Seconds})
	again := w.dial(func(c *system.ClientConfig) { c.Character.Account = 200 })
	w.frames(10)
	require.Equal(t, system.EndBanned, again.ending.Cause)
	w.pass(time.Minute)
	w.join(func(c *system.ClientConfig) { c.Character.Account = 200 })
}

func queueIsTold(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	first, second, third, fourth := w.join(), w.dial(), w.dial(), w.dial()
	w.frames(10)
	require.Equal(t, 3, w.server.Waiting())
	require.Equal(t, [][]string{{"place 1"}, {"place 2"}, {"place 3"}}, [][]string{second.news, third.news, fourth.news})
	w.pass(20 * time.Second)
	require.Equal(t, []string{"place 2"}, third.news, "only if it changes")

	second.Disconnect()
	w.frames(5)
	require.Equal(t, []string{"place 2", "place 1"}, third.news)
	require.Equal(t, []string{"place 3", "place 2"}, fourth.news)
	first.Disconnect()
	w.frames(5)
	require.True(t, third.Playing())
	require.Equal(t, []string{"place 3", "place 2"}, fourth.news, "not sooner than 6 s after the last time")
	w.pass(5500 * time.Millisecond)
	require.Len(t, fourth.news, 2)
	w.pass(time.Second)
	require.Equal(t, []string{"place 3", "place 2", "place 1"}, fourth.news)
	require.Equal(t, 2, entry(t, "QueuePositionChanged").MaxSize, "one byte beside the id")
}

func rightsComeAndGo(t *testing.T) {
	w := newWorld(t)
	a, b := w.join(), w.join()
	w.server.SetAdmin(a.player(), true)
	w.server.SetAdmin(a.player(), true)
	w.frames(2)
	require.True(t, a.player().Admin())
	require.True(t, a.Admin())
	require.False(t, b.Admin())
	require.True(t, b.Players()[0].Admin)
	c := w.join()
	require.True(t, c.Players()[0].Admin, "who comes later knows it as well")
	w.server.SetAdmin(a.player(), false)
	w.frames(2)
	require.False(t, a.Admin())
	require.False(t, a.player().Admin())
	require.False(t, b.Players()[0].Admin)
	require.Equal(t, []string{"player 1 admin true", "player 3 joined", "player 1 admin false"}, b.news)
}

func goodbyeFreesAtOnce(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	polite, next := w.join(), w.dial()
	w.frames(10)
	polite.Disconnect()
	w.frames(3)
	require.True(t, next.Playing())
	require.Equal(t, []string{"joined 1", "left 1", "joined 2"}, w.news)
	require.Equal(t, system.EndLeft, polite.ending.Cause)

	waiting := w.dial()
	w.frames(5)
	next.end.lose = func([]byte, options) bool { return true } // it crashes
	w.pass(25 * time.Second)
	require.False(t, waiting.Playing(), "a place is not free before the timeout")
	w.pass(10 * time.Second)
	require.True(t, waiting.Playing())
}

func shutdownIsAnnounced(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers = 2 })
	a, b, waiting := w.join(), w.join(), w.dial()
	w.frames(10)
	w.server.Shutdown("maintenance", 10*time.Second)
	w.frames(2)
	for _, g := range []*guest{a, b, waiting} {
		require.Contains(t, g.news, "shutdown in 10: maintenance")
	}
}

func filesAreConfirmed(t *testing.T) {
	s := newShelf(300, 0, 5)
	w := newWorld(t, s.serve)
	store := &store{}
	g := w.dial(store.use)
	w.frames(20)
	require.True(t, g.Playing())
	require.Equal(t, s.content, store.content)
	sent := ids(g.end.payloads(), 4)
	require.Equal(t, 2, sent[0])
	var list []system.WorkshopFile
	for _, b := range g.host.payloads() {
		var m system.DownloadWorkshopFiles
		if b[0]&31 == 7 && m.Parse(b) == nil && m.List {
			list = append(list, m.Files...)
		}
	}
	require.Equal(t, s.files, list)
}

func playersComeAndGo(t *testing.T) {
	w := newWorld(t)
	a, b := w.join(), w.join()
	require.Equal(t, []string{"player 2 joined"}, a.news)
	require.Equal(t, []uint16{1}, []uint16{b.Players()[0].Player})
	c := w.join()
	require.Len(t, c.Players(), 2)
	require.Equal(t, system.NetID(35), a.Players()[1].NetID)
	b.Disconnect()
	w.frames(3)
	require.Equal(t, []string{"player 2 joined", "player 3 joined", "player 2 left"}, a.news)
	require.Len(t, c.Players(), 1)
	a.fromHost(reliably, pack(field{6, 5}, field{2, 16})...)
	require.Equal(t, uint64(1), a.Stats().OutOfTurn, "nobody leaves twice")
}

func authentication(t *testing.T) {
	var asked []*system.Authenticate
	var answers []func(system.Verdict)
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Verify = func(p *system.Player, m *system.Authenticate, answer func(system.Verdict)) {
			asked, answers = append(asked, p.Character()), append(answers, answer)
		}
	})
	character := system.Authenticate{Account: 9, Name: "Ann", Ticket: []byte("ticket"), Slot: 1, Equipped: []system.ItemID{5, 6}, Language: "english"}
	g := w.dial(func(c *system.ClientConfig) { c.Character = character })
	w.frames(10)
	require.Equal(t, []*system.Authenticate{&character}, asked)
	require.Equal(t, system.StageAuthenticate, g.player().Stage(), "until the verifier answers")
	w.pass(20 * time.Second)
	answers[0](system.Verdict{OK: true})
	answers[0](system.Verdict{})
	w.frames(10)
	require.True(t, g.Playing())

	forger := w.dial()
	w.frames(10)
	answers[1](system.Verdict{Text: "the ticket is of another game"})
	w.frames(3)
	require.NotNil(t, forger.ending)
	require.Equal(t, []any{system.EndRejected, system.ReasonAuthentication, "the ticket is of another game"},
		[]any{forger.ending.Cause, forger.ending.Reason, forger.ending.Text})

	double := w.dial(func(c *system.ClientConfig) { c.Character = character })
	w.frames(10)
	answers[2](system.Verdict{OK: true})
	w.frames(3)
	require.Equal(t, system.ReasonDuplicate, double.ending.Reason)

	gone := w.dial()
	w.frames(10)
	gone.Disconnect()
	w.frames(3)
	answers[3](system.Verdict{OK: true})
	w.frames(3)
	require.Equal(t, []string{"joined 1"}, w.news, "an answer about somebody who has gone changes nothing")
}

func readyAndVerify(t *testing.T) {
	w := newWorld(t, flowOf(system.PatientFlow), func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	patient := func(c *system.ClientConfig) { c.Flow = system.PatientFlow }
	first := w.join(patient)
	g := w.dial(patient)
	w.frames(10)
	require.Equal(t, []int{0, 1}, without(ids(g.end.payloads(), 4), 4, 5), "files, ready, and not yet who it is")
	require.Equal(t, []int{7, 16}, without(ids(g.host.payloads(), 5), 2, 3), "a place in the queue, and not yet asked")
	require.Equal(t, system.StageQueue, g.player().Stage())
	require.Equal(t, system.StageVerify, g.Stage())
	first.Disconnect()
	w.frames(5)
	require.Equal(t, []int{2}, without(ids(g.end.payloads(), 4), 4, 5))
	require.Equal(t, []int{8, 9, 18}, without(ids(g.host.payloads(), 5), 2, 3))
	require.True(t, g.Playing())
}

// without leaves some ids out of a list, such as those of pings.
func without(list []int, leave ...int) (rest []int) {
	for _, id := range list {
		if id != leave[0] && id != leave[1] {
			rest = append(rest, id)
		}
	}
	return rest
}
