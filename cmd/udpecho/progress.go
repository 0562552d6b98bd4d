package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress is a bar on a terminal, and nothing anywhere else. It may be used by many goroutines.
type progress struct {
	w     io.Writer // nil if it is not shown
	label string
	total int

	mu    sync.Mutex
	done  int
	drawn time.Time
}

func newProgress(w io.Writer, label string, total int) *progress {
	if !isTerminal(w) {
		w = nil
	}
	return &progress{w: w, label: label, total: max(total, 1)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// add moves the bar forward. It is drawn ten times a second at most.
func (p *progress) add(n int) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if now := time.Now(); now.Sub(p.drawn) >= 100*time.Millisecond {
		p.drawn = now
		p.draw()
	}
}

func (p *progress) draw() {
	const width = 40
	full := min(p.done*width/p.total, width)
	fmt.Fprintf(p.w, "\r%s [%s%s] %3d%%", p.label, strings.Repeat("=", full), strings.Repeat(" ", width-full), min(p.done*100/p.total, 100))
}

// end removes the bar.
func (p *progress) end() {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r%*s\r", len(p.label)+50, "")
	}
}
