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

// The tables of docs/bulk.md are what their commands print, as those of docs/latency.md are:
//
//	| what | goals | reached | `go run ./cmd/udpecho …` |
//
// Goals are such as "queue p95 10", the most that it may be; "goodput 95+", the least; "share 35–65"; without a number it is only told.
func TestBulkPageIsTrue(t *testing.T) {
	testflag.NeedLong(t)
	page, err := os.ReadFile("../docs/bulk.md")
	require.NoError(t, err)
	lines := strings.Split(string(page), "\n")
	var order []int
	var commands []string
	for i, line := range lines {
		if _, args := parseBulkRow(line); args != "" {
			order, commands = append(order, i), append(commands, args)
		}
	}
	require.NotEmpty(t, commands)
	for k, o := range buildUDPEcho(t).runAll(t, commands) {
		cells, _ := parseBulkRow(lines[order[k]])
		cells[2] = reachedBulk(t, o, cells[1])
		lines[order[k]] = strings.Join(cells, " | ")
	}
	golden.Equal(t, "../../docs/bulk.md", strings.Join(lines, "\n"))
}

func parseBulkRow(line string) (cells []string, args string) {
	cells = strings.Split(line, " | ")
	if len(cells) != 4 || !strings.HasPrefix(cells[3], command) {
		return nil, ""
	}
	return cells, strings.TrimSuffix(strings.TrimPrefix(cells[3], command), "` |")
}

// reachedBulk tells what was reached of goals, in bold if it misses one.
func reachedBulk(t *testing.T, o map[string]any, goals string) string {
	t.Helper()
	var reached []string
	for goal := range strings.SplitSeq(goals, ", ") {
		name, least, most := parseGoal(goal)
		value := measureBulk(t, o, name)
		text := fmt.Sprintf("%s %.4g", name, value)
		if value < least || value > most {
			text = "**" + text + "**"
		}
		reached = append(reached, text)
	}
	return strings.Join(reached, ", ")
}

// parseGoal splits "share 35–65" into a name and bounds.
func parseGoal(goal string) (name string, least, most float64) {
	least, most = -1e9, 1e9
	i := strings.LastIndexByte(goal, ' ')
	if i < 0 {
		return goal, least, most
	}
	low, high, isRange := strings.Cut(goal[i+1:], "–")
	low, isLeast := strings.CutSuffix(low, "+")
	value, err := strconv.ParseFloat(low, 64)
	switch {
	case err != nil:
		return goal, least, most
	case isRange:
		least = value
		most, _ = strconv.ParseFloat(high, 64)
	case isLeast:
		least = value
	default:
		most = value
	}
	return goal[:i], least, most
}

func measureBulk(t *testing.T, o map[string]any, name string) float64 {
	t.Helper()
	if name == "goodput" {
		return 100 * o["goodput_mbit"].(float64) / o["ceiling_mbit"].(float64)
	}
	field := map[string]string{
		"queue mean": "queue_mean_ms", "queue p95": "queue_p95_ms", "queue p99": "queue_p99_ms", "overshoot": "overshoot_ms", "for": "overshoot_time_ms",
		"game": "game_p99_added_ms", "game apart": "game_p99_added_apart_ms", "jain": "jain", "ratio": "ratio", "share": "share",
		"CUBIC": "cubic_mbit", "queue after": "step_queue_ms", "rate after": "step_rate_ms", "lost": "bulk_loss_pct",
		"complete": "first_flight_pct", "bytes": "fragments_ratio",
	}[name]
	require.Contains(t, o, field, "no such measure: %s", name)
	return o[field].(float64)
}

func TestRowsOfTheBulkPageAreFilled(t *testing.T) {
	o := map[string]any{"goodput_mbit": 19.0, "ceiling_mbit": 20.0, "queue_p99_ms": 3.0, "share": 40.0}
	require.Equal(t, "goodput 95, queue p99 3, share 40", reachedBulk(t, o, "goodput 95+, queue p99 3, share 35–65"))
	require.Equal(t, "**goodput 95**, **queue p99 3**, **share 40**", reachedBulk(t, o, "goodput 96+, queue p99 2.9, share 41–65"))
	require.Equal(t, "queue p99 3", reachedBulk(t, o, "queue p99"))
	cells, args := parseBulkRow("| a | b | c | `go run ./cmd/udpecho sim -bulk 1` |")
	require.Equal(t, []string{"| a", "b", "c", "`go run ./cmd/udpecho sim -bulk 1` |"}, cells)
	require.Equal(t, "sim -bulk 1", args)
}
