package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/golden"
	"github.com/gannet-net/gannet/internal/testflag"
)

const latencyPage = "../../docs/latency.md" // from testdata, as golden counts

// The tables of docs/latency.md are what their commands print. With -update the page gets the numbers of today; what it says about them
// is left to its author.
func TestLatencyPageIsTrue(t *testing.T) {
	testflag.NeedLong(t)
	page, err := os.ReadFile("../docs/latency.md")
	require.NoError(t, err)
	lines := strings.Split(string(page), "\n")
	rows, commands := map[int]*pageRow{}, []string(nil)
	var order []int
	for i, line := range lines {
		if row := parsePageRow(line); row != nil {
			rows[i], order, commands = row, append(order, i), append(commands, row.args)
		}
	}
	require.NotEmpty(t, commands)
	for k, o := range buildUDPEcho(t).runAll(t, commands) {
		i := order[k]
		rows[i].fill(t, o)
		lines[i] = rows[i].String()
	}
	golden.Equal(t, latencyPage, strings.Join(lines, "\n"))
}

// pageRow is a row of a table of the page:
//
//	| what | goals | reached | floor | nearness | `go run ./cmd/udpecho …` |
//
// Goals are such as "p99 80, bytes 1.30": names of measure, each with the most that it may be; without a number it is only told.
type pageRow struct {
	cells [6]string
	args  string
}

const command = "`go run ./cmd/udpecho "

func parsePageRow(line string) *pageRow {
	cells := strings.Split(line, " | ")
	if len(cells) != 6 || !strings.HasPrefix(cells[5], command) {
		return nil
	}
	r := &pageRow{args: strings.TrimSuffix(strings.TrimPrefix(cells[5], command), "` |")}
	copy(r.cells[:], cells)
	return r
}

func (r *pageRow) String() string { return strings.Join(r.cells[:], " | ") }

// fill writes what was reached, and how near to the floor that is.
func (r *pageRow) fill(t *testing.T, o map[string]any) {
	t.Helper()
	var reached []string
	for goal := range strings.SplitSeq(r.cells[1], ", ") {
		name, limit, _ := cutLast(goal)
		reached = append(reached, outcome(t, o, name, limit))
	}
	r.cells[2] = strings.Join(reached, ", ")
	floor := strings.Split(r.cells[3], "/")
	if o["floor_p99_ms"] != nil {
		floor = []string{fmt.Sprint(o["floor_p99_ms"]), fmt.Sprint(o["floor_p999_ms"])}
		r.cells[3] = strings.Join(floor, "/")
	}
	if len(floor) == 2 {
		r.cells[4] = ratio(o["p99_ms"], floor[0]) + "/" + ratio(o["p999_ms"], floor[1])
	}
}

// cutLast splits "lone acks 0" into a name and a number, if it ends with one.
func cutLast(goal string) (name, limit string, found bool) {
	i := strings.LastIndexByte(goal, ' ')
	if i >= 0 {
		if _, err := strconv.ParseFloat(goal[i+1:], 64); err == nil {
			return goal[:i], goal[i+1:], true
		}
	}
	return goal, "", false
}

// outcome tells what was reached, in bold if it misses the goal. The max may miss it by two standard errors.
func outcome(t *testing.T, o map[string]any, name, limit string) string {
	t.Helper()
	got, text := measure(t, o, name)
	if limit == "" {
		return text
	}
	most, err := strconv.ParseFloat(limit, 64)
	require.NoError(t, err)
	if name == "max" {
		most += 2 * o["max_stderr_ms"].(float64)
	}
	if got > most {
		return "**" + text + "**"
	}
	return text
}

// measure takes one number out of a report.
func measure(t *testing.T, o map[string]any, name string) (value float64, text string) {
	t.Helper()
	number := func(field string) float64 {
		require.Contains(t, o, field)
		return o[field].(float64)
	}
	format := "%.1f"
	switch name {
	case "p50", "p99":
		value = number(name + "_ms")
	case "p99.9":
		value = number("p999_ms")
	case "max":
		value = number("max_ms")
		return value, fmt.Sprintf("max %.1f ± %.1f", value, number("max_stderr_ms"))
	case "p99 over floor":
		value = number("p99_ms") - number("floor_p99_ms")
	case "p99.9 over floor":
		value = number("p999_ms") - number("floor_p999_ms")
	case "bytes":
		value, format = number("bytes_ratio"), "%.3f"
	case "needless %":
		value, format = 100*number("spurious")/number("datagrams_forward"), "%.2f"
	case "lone acks", "repairs":
		value, format = number(strings.ReplaceAll(name, " ", "_")), "%.0f"
	case "adapt":
		value, format = number("adapt_ms"), "%.0f"
	default:
		require.FailNow(t, "no such measure", name)
	}
	return value, name + " " + fmt.Sprintf(format, value)
}

func ratio(got any, floor string) string {
	f, err := strconv.ParseFloat(floor, 64)
	if err != nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", got.(float64)/f)
}

func TestRowsOfThePageAreFilled(t *testing.T) {
	o := map[string]any{"p99_ms": 81.0, "p999_ms": 90.0, "max_ms": 121.0, "max_stderr_ms": 0.6, "bytes_ratio": 1.25, "lone_acks": 0.0}
	for _, row := range [][2]string{
		{"| a | p99 81, max 120, bytes 1.30 | | 75/– | | `go run ./cmd/udpecho sim -json` |",
			"| a | p99 81, max 120, bytes 1.30 | p99 81.0, max 121.0 ± 0.6, bytes 1.250 | 75/– | 1.08/– | `go run ./cmd/udpecho sim -json` |"},
		{"| b | p99 80, max 119, bytes, lone acks 0 | old | – | | `go run ./cmd/udpecho sim` |",
			"| b | p99 80, max 119, bytes, lone acks 0 | **p99 81.0**, **max 121.0 ± 0.6**, bytes 1.250, lone acks 0 | – | | `go run ./cmd/udpecho sim` |"},
	} {
		r := parsePageRow(strings.ReplaceAll(row[0], "| |", "|  |"))
		require.NotNil(t, r, row[0])
		r.fill(t, o)
		require.Equal(t, strings.ReplaceAll(row[1], "| |", "|  |"), r.String())
	}
	require.Nil(t, parsePageRow("| what | goal | reached | floor | near | command |"))
}
