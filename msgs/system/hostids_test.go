package system_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

// The messages of the host come to a client as bytes that are put together here, field by field, and the client does what they are for.

const empty = 1 // the bit of an empty string

// time64 is a 64-bit integer: the high half first.
func time64(v uint64) []field { return []field{{v >> 32, 32}, {v & 0xFFFFFFFF, 32}} }

func with(fields []field, more ...field) []field {
	return append(append([]field(nil), fields...), more...)
}

// legacyGuest is a client that notes legacy bytes.
func legacyGuest(w *world) *guest {
	var g *guest
	g = w.join(func(c *system.ClientConfig) {
		c.Legacy = func(reliable bool, packet []byte, offset, size int) {
			g.notes("legacy %t: %s at %d", reliable, packet[offset:][:size], offset)
		}
	})
	return g
}

func legacyReliably(t *testing.T) {
	g := legacyGuest(newWorld(t))
	g.fromHost(reliably, 0, 'a', 'b')
	require.Equal(t, []string{"legacy true: ab at 1"}, g.news)
}

func legacyLossily(t *testing.T) {
	g := legacyGuest(newWorld(t))
	g.fromHost(lossily, 1, 'a', 'b')
	require.Equal(t, []string{"legacy false: ab at 1"}, g.news)
}

func hostPings(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(lossily, pack(with([]field{{2, 5}}, time64(0x0102030405060708)...)...)...)
	require.Equal(t, [][]byte{pack(with([]field{{5, 4}}, time64(0x0102030405060708)...)...)}, g.end.payloads())
}

func hostAnswers(t *testing.T) {
	w := newWorld(t)
	w.frames(1)
	g := w.dial()
	g.host.lose = func([]byte, options) bool { return true }
	w.frames(1)
	asked := w.now
	w.now += int64(30 * time.Millisecond)
	g.fromHost(lossily, pack(with([]field{{3, 5}}, time64(uint64(asked))...)...)...)
	require.Equal(t, 30*time.Millisecond, g.RTT())
	g.fromHost(lossily, pack(with([]field{{3, 5}}, time64(uint64(asked))...)...)...)
	require.Equal(t, uint64(1), g.Stats().Strays, "the same answer again")
}

func hostAnnouncesItsEnd(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, pack(field{4, 5}, field{30, 16}, field{empty, 1})...)
	require.Equal(t, []string{"shutdown in 30: "}, g.news)
}

// newcomer is the message that brings a player at (1.5, 0, -1).
func newcomer(id uint64) []byte {
	fields := with([]field{{5, 5}, {id, 16}}, time64(77)...)
	fields = with(fields, field{empty, 1}, field{18, 32})
	fields = with(fields, field{4096 + 1, 13}, field{64, 7}, field{4096, 13}, field{0, 7}, field{4096 - 1, 13}, field{0, 7}) // floor and 128ths
	return pack(with(fields, field{64, 8}, field{1, 8}, field{2, 8}, field{3, 8}, field{0x010203, 24}, field{0, 24}, field{0, 24}, field{1, 1}, field{0, 1})...)
}

func playerComes(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, newcomer(9)...)
	g.fromHost(reliably, newcomer(10)...)
	require.Equal(t, []string{"player 9 joined", "player 10 joined"}, g.news)
	require.Len(t, g.Players(), 2)
	require.Equal(t, &system.PlayerConnected{Player: 9, Account: 77, NetID: 18, At: system.Position{X: 1.5, Z: -1}, Angle: 90,
		Look: system.Look{Face: 1, Hair: 2, Beard: 3, Skin: system.Color{R: 3, G: 2, B: 1}, LeftHanded: true}}, g.Players()[0])
}

func playerGoes(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, newcomer(9)...)
	g.fromHost(reliably, pack(field{6, 5}, field{9, 16})...)
	require.Equal(t, []string{"player 9 joined", "player 9 left"}, g.news)
	require.Empty(t, g.Players())
}

// alone dials with a flow, and the server stays silent.
func alone(t *testing.T, flow system.Flow) *guest {
	w := newWorld(t)
	g := w.dial(func(c *system.ClientConfig) { c.Flow = flow })
	g.host.lose = func([]byte, options) bool { return true }
	w.frames(1)
	g.end.sent = nil
	return g
}

func hostListsFiles(t *testing.T) {
	g := alone(t, system.PromptFlow)
	g.fromHost(reliably, pack(field{7, 5}, field{1, 1}, field{0, 8}, field{0, 8}, field{0, 3}, field{0, 1})...)
	require.Equal(t, [][]byte{pack(field{0, 4}, field{1, 1}, field{0, 1})}, g.end.payloads(), "an empty list is confirmed at once")
	require.Equal(t, system.StageAccept, g.Stage())
}

func hostAsksToAuthenticate(t *testing.T) {
	g := alone(t, system.PatientFlow)
	g.fromHost(reliably, pack(field{7, 5}, field{1, 1}, field{0, 8}, field{0, 8}, field{0, 3}, field{0, 1})...)
	require.Equal(t, []int{0, 1}, ids(g.end.payloads(), 4), "files are there, and a place is asked for")
	g.fromHost(reliably, 8)
	require.Equal(t, []int{2}, ids(g.end.payloads(), 4))
}

// acceptance is the message that lets player 7 in, with block 35, at (1.5, 0, -1).
func acceptance() []byte {
	fields := []field{{9, 5}, {7, 16}, {35, 32}, {17, 8}, {4097, 13}, {64, 7}, {4096, 13}, {0, 7}, {4095, 13}, {0, 7}, {64, 8}, {2, 3}, {empty, 1}, {0, 32}, {5, 32}, {1, 1}}
	fields = with(fields, field{1, 8}, field{2, 8}, field{3, 8}, field{0, 24}, field{0, 24}, field{0, 24}, field{0, 1})
	for item := range uint64(7) {
		fields = with(fields, field{100 + item, 32})
	}
	for percent := range uint64(6) {
		fields = with(fields, field{10 + percent, 8})
	}
	fields = with(fields, field{1, 1}, field{0, 1}, field{500, 32}, field{0xFFFFFFFF, 32}, field{4, 8})
	fields = with(toByte(with(fields, field{2, 6})), field{8, 8}, field{9, 8})          // Skills
	fields = with(fields, field{1, 7}, field{300, 32}, field{2, 8}, field{50, 8})       // Items
	fields = with(toByte(with(fields, field{1, 4})), field{0, 8}, field{0, 4})          // HotKeys, Permissions
	fields = with(fields, field{empty, 1}, field{empty, 1}, field{24, 16}, field{1, 1}) // Server, Level, MaxPlayers, Combat
	return pack(with(fields, field{0, 1}, field{3600, 32})...)
}

func hostAccepts(t *testing.T) {
	var got system.Accepted
	w := newWorld(t)
	g := w.dial(func(c *system.ClientConfig) {
		c.Logs.BadMessages = true
		c.Flow = system.Flow{system.StageAuthenticate, system.StageAccept}
		c.Accepted = func(m *system.Accepted) { got = *m }
	})
	g.host.lose = func([]byte, options) bool { return true }
	w.frames(1)
	g.fromHost(reliably, acceptance()...)
	require.True(t, g.Playing(), g.log.String())
	require.Equal(t, []any{uint16(7), true}, []any{g.ID(), g.Admin()})
	require.Equal(t, system.Accepted{Player: 7, NetID: 35, Block: 17, At: system.Position{X: 1.5, Z: -1}, Angle: 90, Stance: system.Prone, Group: 5, Admin: true,
		Look:  system.Look{Face: 1, Hair: 2, Beard: 3},
		Shirt: 100, Pants: 101, Hat: 102, Backpack: 103, Vest: 104, Mask: 105, Glasses: 106,
		Health: 10, Food: 11, Water: 12, Stamina: 13, Oxygen: 14, Virus: 15, Bleeding: true,
		Experience: 500, Reputation: -1, Skillset: 4, Skills: []uint8{8, 9}, Items: []system.Item{{ID: 300, Amount: 2, Quality: 50}}, HotKeys: []uint8{0},
		MaxPlayers: 24, Combat: true, Time: 3600}, got)
}

// ended closes the connection from the host's side, and gives why it ended.
func (g *guest) closed() *system.Ending {
	_ = g.host.Close()
	g.w.frames(2)
	return g.ending
}

func hostRejects(t *testing.T) {
	g := alone(t, system.PromptFlow)
	g.fromHost(reliably, pack(field{10, 5}, field{2, 4}, field{empty, 1})...)
	require.Equal(t, []any{system.EndRejected, system.ReasonVersion}, []any{g.closed().Cause, g.ending.Reason})
}

func hostBans(t *testing.T) {
	g := alone(t, system.PromptFlow)
	g.fromHost(reliably, pack(field{11, 5}, field{empty, 1}, field{600, 32})...)
	require.Equal(t, []any{system.EndBanned, uint32(600)}, []any{g.closed().Cause, g.ending.Seconds})
}

func hostKicks(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, pack(field{12, 5}, field{10, 4}, field{empty, 1})...)
	require.Equal(t, []any{system.EndKicked, system.ReasonPing}, []any{g.closed().Cause, g.ending.Reason})
}

func hostGivesRights(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, pack(field{13, 5}, field{1, 16})...)
	require.True(t, g.Admin())
	require.Equal(t, []string{"player 1 admin true"}, g.news)
}

func hostTakesRights(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, pack(field{13, 5}, field{1, 16})...)
	g.fromHost(reliably, pack(field{14, 5}, field{1, 16})...)
	require.False(t, g.Admin())
	require.Equal(t, []string{"player 1 admin true", "player 1 admin false"}, g.news)
}

func hostGuards(t *testing.T) {
	var got []byte
	w := newWorld(t)
	guarded := w.join(func(c *system.ClientConfig) { c.AntiCheat = func(b []byte) { got = append(got, b...) } })
	message := pack(field{15, 5}, field{2, 11}, field{'o', 8}, field{'k', 8})
	guarded.fromHost(lossily, message...)
	require.Equal(t, "ok", string(got))
	w.join().fromHost(lossily, message...)
	require.Equal(t, "ok", string(got), "without the feature nobody is called")
}

func hostTellsPlace(t *testing.T) {
	g := alone(t, system.PromptFlow)
	g.fromHost(reliably, pack(field{16, 5}, field{3, 8})...)
	require.Equal(t, []string{"place 3"}, g.news)
}

func hostCalls(t *testing.T) {
	var got []uint32
	g := newWorld(t).join(func(c *system.ClientConfig) {
		c.Methods = make([]system.Method, 150)
		for i := range c.Methods {
			c.Methods[i].Handle = func(call *system.Call) { got = append(got, uint32(i), call.Args.Uint32(), uint32(call.Args.Uint8())) }
		}
	})
	g.fromHost(reliably, unhex(t, "71 20 00 00 00 40 05")...)
	require.Equal(t, []uint32{3, 1, 42}, got)
	g.fromHost(reliably, pack(field{17, 5}, field{150, 8})...)
	require.Equal(t, uint64(1), g.Stats().NoMethod, "an index behind the last method")
}

// configuration is the message with floats of 1, 2, 3 … and the values below in between.
func configuration() []byte {
	fields := []field{{18, 5}}
	floats := []uint64{0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0x40A00000, 0x40C00000, 0x40E00000, 0x41000000}
	next := 0
	float := func(n int) {
		for range n {
			fields = with(fields, field{floats[next%8], 32})
			next++
		}
	}
	float(8)
	float(4)
	fields = with(fields, field{6, 8})
	float(3)
	fields = with(fields, field{2, 4})
	float(2)
	float(2)
	float(3)
	fields = with(fields, field{60, 16}, field{1, 1})
	float(1)
	float(4)
	fields = with(fields, field{5, 8}, field{3, 8}, field{0, 1})
	float(1)
	fields = with(fields, field{100, 16}, field{200, 16})
	float(1)
	fields = with(fields, field{86400, 32})
	float(1)
	fields = with(fields, field{1, 5})
	float(1)
	float(1)
	return pack(with(fields, field{30, 16}, field{90, 16})...)
}

func hostConfigures(t *testing.T) {
	g := newWorld(t).join()
	g.fromHost(reliably, configuration()...)
	require.Equal(t, []string{"configured"}, g.news)
	require.Equal(t, &system.ReplicateConfig{
		Damage: system.DamageConfig{Player: 1, Creature: 2, Animal: 3, Vehicle: 4, Building: 5, Resource: 6, Headshot: 7, Fall: 8},
		Events: system.EventConfig{RainFirst: 1, RainLast: 2, AirdropEvery: 3, AirdropSpeed: 4, ArenaMinPlayers: 6, ArenaClear: 5, ArenaFinale: 6, ArenaLobby: 7,
			CompactorSpeed: []float32{8, 1}, CompactorDelay: 2, CompactorDamage: 3},
		Spawns:    system.SpawnConfig{Creatures: 4, Animals: 5, Vehicles: 6, RespawnSeconds: 60, KeepItems: true, Protection: 7},
		Inventory: system.InventoryConfig{FoodUse: 8, WaterUse: 1, StaminaUse: 2, Wear: 3, Width: 5, Height: 3, LoseSkillShare: 4},
		Buildings: system.BuildingConfig{PerPlayer: 100, PerGroup: 200, Range: 5, Decay: 86400, Armour: 6},
		Loot:      system.LootConfig{Chance: []float32{7}, QualityFull: 8, RespawnSeconds: 30, DespawnDropped: 90},
	}, g.Game())
}

// calls is a list of methods that do nothing.
func calls(n int) []system.Method {
	list := make([]system.Method, n)
	for i := range list {
		list[i].Handle = func(c *system.Call) { c.Args.Bits(0) }
	}
	return list
}
