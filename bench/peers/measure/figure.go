package measure

import (
	"cmp"
	"math"
	"slices"
)

// Figure is one number that came out of a run.
type Figure struct {
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
}

// Key says of what a row is.
type Key struct {
	Workload string `json:"workload"`
	Case     string `json:"case"`
	Peer     string `json:"peer"`
	Metric   string `json:"metric"`
	Unit     string `json:"unit"`
}

// Row is a figure of all repeats.
type Row struct {
	Key
	Median  float64 `json:"median"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Repeats int     `json:"repeats"`
}

// Rows gathers the figures of repeats.
type Rows struct {
	order  []Key
	values map[Key][]float64
}

// Add takes the figures of one run. Values that are no number are left out.
func (r *Rows) Add(workload, in, peer string, figures []Figure) {
	if r.values == nil {
		r.values = map[Key][]float64{}
	}
	for _, f := range figures {
		if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			continue
		}
		k := Key{workload, in, peer, f.Metric, f.Unit}
		if r.values[k] == nil {
			r.order = append(r.order, k)
		}
		r.values[k] = append(r.values[k], f.Value)
	}
}

// All gives the rows in the order in which their first figures came.
func (r *Rows) All() []Row {
	rows := make([]Row, 0, len(r.order))
	for _, k := range r.order {
		rows = append(rows, newRow(k, r.values[k]))
	}
	return rows
}

func newRow(k Key, values []float64) Row {
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	n := len(sorted)
	return Row{Key: k, Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1], Repeats: n}
}
