package dumbbell

import (
	"time"

	"github.com/gannet-net/gannet/sim"
)

// Plan says what is run.
type Plan struct {
	Seed   uint64
	Rate   int64 // of the bottleneck, bits a second
	Queue  int   // bytes that wait at it; 0 is no limit
	Police int   // bytes; not 0: a policer with that bucket in place of the queue

	Trips  []time.Duration // round trip of each flow with bulk, none for a CUBIC flow alone
	Trip   time.Duration   // of the game on its own connection, and of a CUBIC flow
	Loss   sim.Probability // each way, behind the bottleneck
	Jitter time.Duration   // likewise

	Bytes    int64         // that each flow sends, 0 for nothing but the game
	For      time.Duration // after which the run ends if bytes are left
	Cubic    bool          // a CUBIC flow runs beside it
	CubicFor time.Duration // until when, 0 for all the time
	Step     int64         // the rate in the second third of the run, bits a second; 0 is no step

	Ceiling    int64         // of what each side sends, bytes a second; 0 is none
	Longer     time.Duration // by which the round trip is longer from a third of the run on
	Late       time.Duration // by which turns of the ends, and datagrams on their way, come late at most, uniform and in order
	AckOnTick  bool          // both sides let acks wait for their ticks
	Background bool          // bulk gives way to what is not ours
}

const (
	chunk    = 16 << 10 // bytes of a message of bulk
	gameRate = 30       // messages a second
	gameSize = 64

	bulkChannel = 1

	fullPayload = 1170 // bytes of bulk in a full packet
)

// Packet is what a full packet takes on the wire, in bytes.
const Packet = 1228

// Report is what was measured. Names and units are those of udpecho sim.
type Report struct {
	Goodput float64 `json:"goodput_mbit"` // of all flows
	Ceiling float64 `json:"ceiling_mbit"` // what a sender could reach at most that fills every packet

	QueueMean float64 `json:"queue_mean_ms"` // of the bottleneck, start-up left out
	QueueP95  float64 `json:"queue_p95_ms"`
	QueueP99  float64 `json:"queue_p99_ms"`

	Overshoot     float64 `json:"overshoot_ms"`      // the longest queue of start-up
	OvershootTime float64 `json:"overshoot_time_ms"` // for how long it was above 10 ms

	GameAdded      float64 `json:"game_p99_added_ms"`       // to a game on the same connection, by bulk
	GameAddedApart float64 `json:"game_p99_added_apart_ms"` // to one on another connection

	BulkLoss float64 `json:"bulk_loss_pct"` // at the bottleneck

	Jain  *float64 `json:"jain,omitempty"`       // index of fairness among the flows, after a third of the run
	Ratio *float64 `json:"ratio,omitempty"`      // the fastest flow over the slowest, likewise
	Share *float64 `json:"share,omitempty"`      // of what came through beside CUBIC, per cent
	Cubic *float64 `json:"cubic_mbit,omitempty"` // what came through of CUBIC, without headers

	StepQueue *float64 `json:"step_queue_ms,omitempty"` // after the rate fell, until the queue stayed below 15 ms
	StepRate  *float64 `json:"step_rate_ms,omitempty"`  // after it rose, until 90 % of it was used

	TraceHash string `json:"trace_hash"`
}
