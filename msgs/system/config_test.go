package system_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
)

func clock() int64 { return 0 }

func TestSettingsThatCannotBeAreErrors(t *testing.T) {
	for want, c := range map[string]system.ServerConfig{
		"Clock: must be given":                           {},
		"Flow: must contain StageAuthenticate":           {Clock: clock, Flow: system.Flow{system.StageAccept}},
		"Files: 256 are too many":                        {Clock: clock, Files: make([]system.WorkshopFile, 256)},
		"Open: must be given":                            {Clock: clock, Files: make([]system.WorkshopFile, 1)},
		"Files[1]: its ID 0 is there twice":              {Clock: clock, Files: make([]system.WorkshopFile, 2)},
		"Assets[1]: its ID":                              {Clock: clock, Assets: make([]system.Asset, 2)},
		"MaxPlayers: 65536 are too many":                 {Clock: clock, MaxPlayers: 65536},
		"a time is negative":                             {Clock: clock, PingEvery: -1},
		"Methods[0]: Door.Toggle has no Handle":          {Clock: clock, Methods: []system.Method{{Name: "Door.Toggle"}}},
		"Catalogues[1]: catalogue system is there twice": {Clock: clock, Catalogues: []msgs.Mount{{Catalogue: &system.Catalogue}}},
	} {
		_, err := system.NewServer(c)
		require.ErrorContains(t, err, want)
	}
	for want, c := range map[string]system.ClientConfig{
		"Clock: must be given":       {},
		"Flow: must contain":         {Clock: clock, Flow: system.Flow{}},
		"a time is negative":         {Clock: clock, Timeout: -1},
		"Methods[0]:  has no Handle": {Clock: clock, Methods: make([]system.Method, 1)},
		"has two handlers":           {Clock: clock, Handlers: []msgs.Handler{msgs.On(func(*msgs.In, *system.Verify) {})}},
	} {
		_, err := system.NewClient(c)
		require.ErrorContains(t, err, want)
	}
}

func TestAFlowThatCannotWorkIsRefused(t *testing.T) {
	authenticate, files, ready, queue, verify, accept := system.StageAuthenticate, system.StageFiles, system.StageReady, system.StageQueue, system.StageVerify, system.StageAccept
	for want, flow := range map[string]system.Flow{
		"end with StageAccept":                   {authenticate, accept, files},
		"stage files is there twice":             {authenticate, files, files, accept},
		"playing is no stage on the way":         {authenticate, system.StagePlaying, accept},
		"stage ready cannot follow queue":        {authenticate, queue, ready, accept},
		"stage ready cannot follow authenticate": {authenticate, ready, accept},
		"stage authenticate cannot follow queue": {queue, authenticate, accept},
	} {
		_, err := system.NewServer(system.ServerConfig{Clock: clock, Flow: flow})
		require.ErrorContains(t, err, want)
	}
	for _, flow := range []system.Flow{{authenticate, accept}, {verify, authenticate, queue, accept}, {ready, authenticate, files, accept}} {
		w := newWorld(t, flowOf(flow))
		w.join(func(c *system.ClientConfig) { c.Flow = flow })
	}
}

func TestStagesAndEndingsHaveNames(t *testing.T) {
	require.Equal(t, "queue", system.StageQueue.String())
	require.Equal(t, "Stage(99)", system.Stage(99).String())
	require.Equal(t, "kicked", system.EndKicked.String())
	require.Equal(t, "EndCause(99)", system.EndCause(99).String())
}

func TestABanIsOfAnAccountOrElseOfAnAddress(t *testing.T) {
	now := int64(0)
	bans := system.NewBans(func() int64 { return now })
	address := netip.MustParseAddr("192.0.2.1")
	ann, stranger := system.Identity{Account: 5, Addr: address}, system.Identity{Addr: address}
	bans.Ban(ann, "cheating", 0)
	_, banned := bans.Banned(stranger)
	require.False(t, banned, "others behind the address are not banned with it")
	now += int64(1000 * time.Hour)
	ban, banned := bans.Banned(ann)
	require.True(t, banned, "for ever")
	require.Equal(t, "cheating", ban.Text)
	bans.Unban(ann)
	_, banned = bans.Banned(ann)
	require.False(t, banned)
	bans.Ban(stranger, "flooding", time.Minute)
	_, banned = bans.Banned(ann)
	require.True(t, banned)
	now += int64(time.Minute)
	_, banned = bans.Banned(ann)
	require.False(t, banned)
	bans.Ban(system.Identity{}, "nobody", 0)
	_, banned = bans.Banned(system.Identity{})
	require.False(t, banned)
}

func TestABannedAddressIsTurnedAwayBeforeItSaysAnything(t *testing.T) {
	bans := system.NewBans(clock)
	bans.Ban(system.Identity{Addr: netip.MustParseAddr("192.0.2.1")}, "flooding", 0)
	w := newWorld(t, func(c *system.ServerConfig) { c.Bans = bans })
	g := w.dial()
	g.host.address = netip.MustParseAddrPort("192.0.2.1:999")
	w.frames(3)
	require.Equal(t, &system.Ending{Cause: system.EndBanned, Text: "flooding", Err: g.ending.Err}, g.ending)
}

func TestNotTooManyClientsAreOnTheWay(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxJoining = 2 })
	first, second, third := mute(w, system.PromptFlow), mute(w, system.PromptFlow), w.dial()
	w.frames(3)
	require.Equal(t, []any{system.EndRejected, system.ReasonFull}, []any{third.ending.Cause, third.ending.Reason})
	require.Nil(t, first.ending)
	w.server.Reject(second.player(), system.ReasonOther, "not today")
	w.frames(2)
	require.Equal(t, "not today", second.ending.Text)
	w.join()
}

func TestAVerifierThatDoesNotAnswerKeepsNobodyForEver(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Verify = func(*system.Player, *system.Authenticate, func(system.Verdict)) {}
	})
	g := w.dial()
	w.pass(29 * time.Second)
	require.Nil(t, g.ending)
	g.fromClient(reliably, authentication64()...)
	require.Equal(t, uint64(1), w.server.Stats().OutOfTurn, "it has said who it is")
	w.pass(2 * time.Second)
	require.Equal(t, []any{system.EndRejected, system.ReasonAuthentication}, []any{g.ending.Cause, g.ending.Reason})
}

func TestAfterAnAnnouncementThePlayerMayStillLeaveOrBeKicked(t *testing.T) {
	w := newWorld(t)
	leaves, kicked := w.join(), w.join()
	w.server.Shutdown("maintenance", time.Hour)
	w.server.Shutdown("again", 0)
	w.frames(2)
	leaves.Disconnect()
	w.server.Kick(kicked.player(), system.ReasonOther, "")
	w.frames(3)
	require.Equal(t, []system.EndCause{system.EndLeft, system.EndKicked}, []system.EndCause{leaves.ending.Cause, kicked.ending.Cause})
	leaves.Disconnect()
	require.False(t, w.server.Done(), "not before the time")
}

func TestABanThatOutlastsTheClockIsForEver(t *testing.T) {
	bans := system.NewBans(func() int64 { return int64(time.Hour) })
	bans.Ban(system.Identity{Account: 5}, "cheating", math.MaxInt64)
	ban, banned := bans.Banned(system.Identity{Account: 5})
	require.True(t, banned)
	require.Zero(t, ban.Until)

	w := newWorld(t)
	long, longer := w.join(), w.join()
	w.server.Ban(long.player(), "cheating", 200*365*24*time.Hour)
	w.server.Ban(longer.player(), "cheating", math.MaxInt64)
	w.frames(3)
	require.Equal(t, uint32(math.MaxUint32), long.ending.Seconds, "the most that can be told")
	require.Zero(t, longer.ending.Seconds)
}

// Else a cheater could have others banned, by saying that it is them.
func TestAnAccountThatWasOnlyClaimedIsNotBanned(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Verify = func(_ *system.Player, m *system.Authenticate, answer func(system.Verdict)) {
			if m.Ticket != nil {
				answer(system.Verdict{OK: true})
			}
		}
	})
	liar := w.dial(func(c *system.ClientConfig) { c.Character.Account = 7 })
	liar.host.address = netip.MustParseAddrPort("192.0.2.1:999")
	w.frames(3)
	w.server.Ban(liar.player(), "cheating", 0)
	w.frames(3)
	require.Equal(t, system.EndBanned, liar.ending.Cause)
	w.join(func(c *system.ClientConfig) { c.Character = system.Authenticate{Account: 7, Ticket: []byte("true")} })

	again := w.dial()
	again.host.address = liar.host.address
	w.frames(3)
	require.Equal(t, system.EndBanned, again.ending.Cause)
}
