package scenario

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/internal/testflag"
)

// TestMain is also the main function of the child processes that some tests start.
func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(childVariable); ok {
		children[name]()
		return
	}
	goleak.VerifyTestMain(m)
}

// size is how much a test does: enough for every commit, or all that the report asks for with -long.
func size(short, all int) int {
	if testflag.Long() {
		return all
	}
	return short
}

var hours = flag.Int("hours", 20, "with -long: how many connection-hours TestNobodyIsDisconnectedWithoutReason plays")

// watched runs f and ends the process with the stacks of all goroutines if f hangs.
func watched(t *testing.T, f func()) {
	t.Helper()
	hung := time.AfterFunc(watchdog, func() { panic(fmt.Sprintf("%s hangs", t.Name())) })
	defer hung.Stop()
	f()
}

// watchdog is how long something that returns at once may take on a busy machine.
const watchdog = 5 * time.Second
