package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

// Tables writes everything as text that is Markdown too.
func (r *Report) Tables(w io.Writer) error {
	b := &strings.Builder{}
	r.environment(b)
	for _, wl := range r.Workloads {
		r.workload(b, &wl)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(b, "FAILED: %s of %s, repeat %d: %s\n", f.Workload, f.Peer, f.Repeat, f.Error)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) environment(b *strings.Builder) {
	e := r.Environment
	fmt.Fprintf(b, "`%s`, %s. %d x %s, Linux %s, %s, GOMAXPROCS %d", e.Command, e.When, e.Cores, e.Processor, e.Kernel, e.Go, e.GOMAXPROCS)
	for _, s := range settings {
		fmt.Fprintf(b, ", %s %s", s[strings.LastIndex(s, "/")+1:], e.System[s])
	}
	b.WriteString(".\nMedians of the repeats.\n\n")
	t := table{{"peer", "version", "order", "encrypted", "settings"}}
	for _, d := range r.Drivers {
		t = append(t, []string{d.Name, e.version(d.Version), orderOf(d), yesNo(d.Encrypted), d.Settings})
	}
	t.list(b)
	for _, left := range r.LeftOut {
		fmt.Fprintf(b, "%s\n\n", left)
	}
}

func orderOf(d peer.Driver) string {
	switch {
	case !d.Reliable:
		return "unreliable"
	case d.Ordered:
		return "ordered"
	}
	return "unordered"
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func (r *Report) workload(b *strings.Builder, w *workload.Workload) {
	rows := of(r.Rows, w.Name)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\n%s\n\n", w.Name, w.About)
	for _, t := range w.Tables {
		if t.ByCase {
			r.metricsAcross(b, rows, t)
		} else {
			r.casesAcross(b, rows, t)
		}
	}
}

func of(rows []measure.Row, workload string) []measure.Row {
	var its []measure.Row
	for _, row := range rows {
		if row.Workload == workload {
			its = append(its, row)
		}
	}
	return its
}

// casesAcross writes a table with a column for each case, whose cells join the metrics.
func (r *Report) casesAcross(b *strings.Builder, rows []measure.Row, t workload.Table) {
	cases := distinct(rows, func(row measure.Row) string { return row.Case }, func(row measure.Row) bool {
		return strings.HasPrefix(row.Case, t.Prefix) && slices.Contains(t.Metrics, row.Metric)
	})
	if len(cases) == 0 {
		return
	}
	head := []string{"peer"}
	for _, c := range cases {
		head = append(head, strings.TrimPrefix(c, t.Prefix))
	}
	r.body(b, t.Title, head, func(name string) []string {
		cells := []string{}
		for _, c := range cases {
			var parts []string
			for _, m := range t.Metrics {
				parts = append(parts, cell(rows, c, name, m))
			}
			cells = append(cells, strings.Join(parts, " / "))
		}
		return cells
	})
}

// metricsAcross writes a table for each case, with a column for each metric.
func (r *Report) metricsAcross(b *strings.Builder, rows []measure.Row, t workload.Table) {
	for _, c := range distinct(rows, func(row measure.Row) string { return row.Case }, func(row measure.Row) bool { return strings.HasPrefix(row.Case, t.Prefix) }) {
		its := slices.DeleteFunc(slices.Clone(rows), func(row measure.Row) bool { return row.Case != c })
		head := []string{"peer"}
		for _, m := range t.Metrics {
			head = append(head, m+unitOf(its, m))
		}
		r.body(b, t.Title+c, head, func(name string) []string {
			cells := []string{}
			for _, m := range t.Metrics {
				cells = append(cells, cell(its, c, name, m))
			}
			return cells
		})
	}
}

// body writes a table with a row for each stack that has something to say.
func (r *Report) body(b *strings.Builder, title string, head []string, cells func(name string) []string) {
	t := table{head}
	for _, d := range r.Drivers {
		its := cells(d.Name)
		if slices.ContainsFunc(its, func(c string) bool { return strings.Trim(c, "– /") != "" }) {
			t = append(t, append([]string{labelOf(d)}, its...))
		}
	}
	if len(t) > 1 {
		fmt.Fprintf(b, "%s\n\n", title)
		t.write(b)
	}
}

func labelOf(d peer.Driver) string {
	if d.Limit {
		return d.Name + " (limit)"
	}
	return d.Name
}

func distinct(rows []measure.Row, by func(measure.Row) string, which func(measure.Row) bool) []string {
	var all []string
	for _, row := range rows {
		if c := by(row); which(row) && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

func unitOf(rows []measure.Row, metric string) string {
	for _, row := range rows {
		if row.Metric == metric && row.Unit != "" {
			return ", " + row.Unit
		}
	}
	return ""
}

func cell(rows []measure.Row, in, peer, metric string) string {
	for _, row := range rows {
		if row.Case == in && row.Peer == peer && row.Metric == metric {
			return number(row.Median)
		}
	}
	return "–"
}

// number gives three digits that count, and all of a whole number.
func number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size == 0:
		return "0"
	case size < 0.001:
		return "0.00"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', min(digits, 3), 64)
}

// table is a head and rows.
type table [][]string

// list writes a table of words, which are not lined up.
func (t table) list(b *strings.Builder) {
	for i, row := range t {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	b.WriteString("\n")
}

func (t table) write(b *strings.Builder) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, c := range row {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	for i, row := range t {
		for j, c := range row {
			fmt.Fprintf(b, "| %-*s ", widths[j], c)
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(rule(widths))
		}
	}
	b.WriteString("\n")
}

// rule is the line under the head: numbers stand right, and the names of the stacks left.
func rule(widths []int) string {
	var b strings.Builder
	for i, w := range widths {
		line := strings.Repeat("-", w+2)
		if i > 0 {
			line = line[:w+1] + ":"
		}
		b.WriteString("|" + line)
	}
	return b.String() + "|\n"
}
