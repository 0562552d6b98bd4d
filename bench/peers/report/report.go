// Package report prints what was measured, as tables or as JSON.
package report

import (
	"encoding/json"
	"io"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

// Report is everything that is said about a measurement.
type Report struct {
	Environment Environment
	Drivers     []peer.Driver
	Workloads   []workload.Workload
	Rows        []measure.Row
	Failures    []Failure
	LeftOut     []string // what this program cannot measure as it was built, a sentence each
}

// Failure is a run that did not work. What it measured before counts.
type Failure struct {
	Workload string `json:"workload"`
	Peer     string `json:"peer"`
	Repeat   int    `json:"repeat"`
	Error    string `json:"error"`
}

// setting is how a stack was set, for JSON.
type setting struct {
	Peer      string `json:"peer"`
	Version   string `json:"version,omitempty"`
	Settings  string `json:"settings"`
	Ordered   bool   `json:"ordered"`
	Encrypted bool   `json:"encrypted"`
	Limit     bool   `json:"limit"`
}

// JSON writes one object with every figure.
func (r *Report) JSON(w io.Writer) error {
	settings := []setting{}
	for _, d := range r.Drivers {
		settings = append(settings, setting{d.Name, r.Environment.version(d.Version), d.Settings, d.Ordered, d.Encrypted, d.Limit})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	return encoder.Encode(struct {
		Environment Environment   `json:"environment"`
		Settings    []setting     `json:"settings"`
		Figures     []measure.Row `json:"figures"`
		Failures    []Failure     `json:"failures"`
		LeftOut     []string      `json:"left_out,omitempty"`
	}{r.Environment, settings, r.Rows, append([]Failure{}, r.Failures...), r.LeftOut})
}
