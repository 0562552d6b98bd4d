package soak

import (
	"syscall"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// The longest time for which a way is blocked is below the time-out by more than a heartbeat, so that nobody may leave for that.
const almostTimeout = 8900 * time.Millisecond

// kinds are all faults that are drawn. Their numbers are their places.
var kinds = []kindInfo{
	{name: "black hole", group: "network", lane: laneWay, weight: 8, short: millis(50), long: almostTimeout, begin: beginCutBoth, end: endCutBoth},
	{name: "black hole to the host", group: "network", lane: laneWay, weight: 5, short: millis(50), long: almostTimeout, begin: beginCutUp, end: endCutUp},
	{name: "black hole from the host", group: "network", lane: laneWay, weight: 5, short: millis(50), long: almostTimeout, begin: beginCutDown, end: endCutDown},
	{name: "black hole for long", group: "network", lane: laneWay, weight: 1, short: 11 * time.Second, long: 25 * time.Second, begin: beginCutBoth, end: endCutBoth},
	{name: "swizzle", group: "network", onHost: 4, short: 500 * time.Millisecond, long: 7 * time.Second, high: 1 << 20, begin: beginSwizzle},
	{name: "NAT port rebind", group: "network", lane: laneWay, weight: 8, sealed: true, nat: true, begin: rebindPort},
	{name: "NAT address rebind", group: "network", lane: laneWay, weight: 8, sealed: true, nat: true, begin: rebindAddress},
	{name: "roam", group: "network", lane: laneWay, weight: 5, sealed: true, begin: roam},
	{name: "hijack", group: "network", lane: laneWay, weight: 3, sealed: true, short: millis(200), long: 2 * time.Second, begin: beginHijack, end: endHijack},
	{name: "swap addresses", group: "network", lane: laneWay, weight: 3, sealed: true, high: 1 << 20, begin: swapAddresses},

	{name: "loss", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, low: 5, high: 50, bend: bendLoss},
	{name: "loss in bursts", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, low: 2, high: 30, bend: bendBurst},
	{name: "outages", group: "network", lane: laneWeather, weight: 2, short: millis(500), long: 5 * time.Second, low: 20, high: 400, bend: bendOutage},
	{name: "loss mask", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, high: 1 << 30, bend: bendMask},
	{name: "duplication", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, low: 1, high: 800, bend: bendDuplicate},
	{name: "reorder", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, low: 1, high: 400, bend: bendReorder},
	{name: "delay spike", group: "network", lane: laneWeather, weight: 3, short: millis(50), long: 2 * time.Second, low: 20, high: 800, bend: bendDelay},
	{name: "jitter", group: "network", lane: laneWeather, weight: 3, short: millis(200), long: 5 * time.Second, low: 5, high: 100, bend: bendJitter},
	{name: "bandwidth cap", group: "network", lane: laneWeather, weight: 2, short: millis(500), long: 5 * time.Second, low: 64, high: 256, bend: bendCap},
	{name: "bufferbloat", group: "network", lane: laneWeather, weight: 2, short: millis(500), long: 4 * time.Second, low: 32, high: 64, bend: bendBloat},
	{name: "policer", group: "network", lane: laneWeather, weight: 1, short: millis(500), long: 4 * time.Second, low: 32, high: 128, bend: bendPolice},
	{name: "bit flips", group: "network", lane: laneWeather, weight: 3, sealed: true, short: millis(200), long: 5 * time.Second, low: 1, high: 30, bend: bendCorrupt},
	{name: "truncation", group: "network", lane: laneWeather, weight: 2, sealed: true, short: millis(200), long: 5 * time.Second, low: 1, high: 30, bend: bendTruncate},
	{name: "extension", group: "network", lane: laneWeather, weight: 2, sealed: true, short: millis(200), long: 5 * time.Second, low: 1, high: 30, bend: bendExtend},
	{name: "MTU 1199", group: "network", lane: laneWeather, weight: 1, short: millis(500), long: 5 * time.Second, bend: func(c *sim.Conditions, _ int) { c.MTU = 1199 }},
	{name: "MTU 576", group: "network", lane: laneWeather, weight: 1, short: millis(500), long: 5 * time.Second, bend: func(c *sim.Conditions, _ int) { c.MTU = 576 }},

	{name: "stall of 200 ms", group: "host", lane: laneMachine, weight: 4, onHost: 4, short: millis(200), long: millis(200), begin: beginFreeze, end: endFreeze},
	{name: "stopped", group: "host", lane: laneMachine, weight: 2, onHost: 2, short: millis(500), long: 8 * time.Second, begin: beginFreeze, end: endFreeze},
	{name: "stopped for 15 s", group: "host", lane: laneMachine, weight: 1, onHost: 1, short: 15 * time.Second, long: 15 * time.Second, begin: beginFreeze, end: endFreeze},
	{name: "slow loop", group: "host", lane: laneMachine, weight: 2, onHost: 3, short: millis(500), long: 5 * time.Second, low: 30, high: 300, begin: beginSlow, end: endSlow},
	{name: "consumer stopped", group: "host", lane: laneMachine, weight: 4, onHost: 5, short: millis(500), long: 30 * time.Second, begin: beginDeaf, end: endDeaf},
	{name: "clock forward", group: "host", lane: laneMachine, weight: 2, onHost: 2, low: 1, high: 3000, begin: jumpForward},
	{name: "clock back", group: "host", lane: laneMachine, weight: 2, onHost: 2, low: 1, high: 3000, begin: jumpBack},
	{name: "clock forward an hour", group: "host", lane: laneMachine, weight: 1, onHost: 3, low: 3_600_000, high: 3_600_000, begin: jumpForward},
	{name: "clock frozen", group: "host", lane: laneMachine, weight: 1, onHost: 1, short: millis(500), long: 5 * time.Second, begin: beginClockStop, end: endClockStop},
	{name: "clock drift", group: "host", lane: laneMachine, weight: 2, onHost: 2, high: 1000, begin: driftClock},
	{name: "wall clock set", group: "host", lane: laneMachine, weight: 1, onHost: 1, low: -7200, high: 7200, begin: setWall},
	{name: "sleep", group: "host", lane: laneMachine, weight: 2, onHost: 1, short: time.Second, long: 8 * time.Second, begin: beginSleep, end: endSleep},
	{name: "sleep for long", group: "host", lane: laneMachine, weight: 1, onHost: 1, short: 30 * time.Second, long: 60 * time.Second, high: 8 * 3600, begin: beginSleep, end: endSleep},

	{name: "ECONNREFUSED on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.ECONNREFUSED)},
	{name: "EHOSTUNREACH on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.EHOSTUNREACH)},
	{name: "ENETUNREACH on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.ENETUNREACH)},
	{name: "ENETDOWN on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.ENETDOWN)},
	{name: "ENOBUFS on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 50, begin: failWrites(syscall.ENOBUFS)},
	{name: "ENOMEM on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 50, begin: failWrites(syscall.ENOMEM)},
	{name: "EPERM on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 1, begin: failWrites(syscall.EPERM)},
	{name: "EMSGSIZE on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.EMSGSIZE)},
	{name: "EAGAIN on write", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 20, begin: failWrites(syscall.EAGAIN)},
	{name: "read errors", group: "socket", lane: laneMachine, weight: 2, onHost: 2, low: 1, high: 10, begin: failReads(syscall.ENETDOWN)},
	{name: "refused on read", group: "socket", lane: laneMachine, weight: 1, onHost: 1, low: 1, high: 10, begin: failReads(syscall.ECONNREFUSED)},
	{name: "small read buffer", group: "socket", lane: laneMachine, weight: 2, onHost: 2, short: millis(500), long: 5 * time.Second, low: 1, high: 20, begin: beginSmallBuffer, end: endSmallBuffer},
	{name: "socket closed", group: "socket", lane: laneMachine, weight: 1, begin: closeSocket},

	{name: "leave", group: "life", lane: laneLife, weight: 4, begin: leave},
	{name: "abort", group: "life", lane: laneLife, weight: 2, begin: abort},
	{name: "kick", group: "life", lane: laneLife, weight: 2, high: 60000, begin: kick},
	{name: "closed by the host", group: "life", lane: laneLife, weight: 2, begin: hostCloses},
	{name: "crash", group: "life", lane: laneLife, weight: 3, short: millis(100), long: 4 * time.Second, begin: beginCrash, end: endCrash},
	{name: "host restart", group: "life", onHost: 3, short: millis(100), long: 4 * time.Second, begin: beginHostCrash, end: endHostCrash},
	{name: "host closed and opened", group: "life", onHost: 2, begin: closeHost},
	{name: "bind fails", group: "socket", lane: laneLife, weight: 1, low: 1, high: 5, begin: failListens},

	{name: "replay", group: "network", lane: laneStrangers, weight: 2, short: millis(200), long: 2 * time.Second, begin: beginTape, end: replayTape},
	{name: "forged", group: "network", lane: laneStrangers, weight: 2, low: 1, high: 200, begin: forge},
	{name: "crafted", group: "network", lane: laneStrangers, weight: 4, low: 5, high: 50, begin: craft},
	{name: "flood of Connects and Hellos", group: "network", lane: laneStrangers, weight: 1, low: 10, high: 60, begin: flood},
	{name: "guest", group: "life", lane: laneStrangers, weight: 4, high: 1 << 20, begin: invite},
	{name: "rogue", group: "life", lane: laneStrangers, weight: 1, begin: letRogueIn},
	{name: "reflection", group: "network", lane: laneStrangers, weight: 1, short: millis(200), long: time.Second, begin: beginTape, end: reflectTape},
	{name: "endless socket", group: "socket", lane: laneMachine, weight: 2, onHost: 2, begin: beginEndless},
}
