package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// yard is where broken programs are built and run.
type yard struct {
	options

	root, dir string
}

// perRun is how many worlds a program plays before its CPU time is looked at.
const perRun = 4

// stuckAfter ends a program that a bug keeps from ending.
const stuckAfter = 10 * time.Minute

// moduleRoot is the directory of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// build makes udpecho with a bug, and gives the path of the program.
func (y *yard) build(b *bug) (string, error) {
	files, err := b.apply(os.DirFS(y.root))
	if err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		patched := filepath.Join(y.dir, b.name+"-"+strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(patched, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(y.root, name)] = patched
	}
	list, program := filepath.Join(y.dir, b.name+".json"), filepath.Join(y.dir, b.name+".exe")
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", list, "-o", program, "./cmd/udpecho")
	cmd.Dir = y.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// outcome is what came of many worlds.
type outcome struct {
	worlds int
	cpu    time.Duration
	seed   uint64
	broken string // the violation, "" if there was none
}

// play plays up to n worlds, until one is broken or the CPU time is used up.
func (y *yard) play(program string, n int, limit time.Duration, without []string) (o outcome, err error) {
	for o.broken == "" && o.worlds < n && o.cpu < limit {
		err = y.playSome(program, min(perRun, n-o.worlds), without, &o)
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

func (y *yard) playSome(program string, n int, without []string, o *outcome) error {
	ctx, cancel := context.WithTimeout(context.Background(), stuckAfter)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "soak", "-json", "-span", y.span.String(), "-seeds", fmt.Sprint(n), "-first", fmt.Sprint(y.first+uint64(o.worlds)),
		"-without", strings.Join(without, ","))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	ran := cmd.Run()
	if cmd.ProcessState != nil {
		o.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var report struct {
		BrokenSeed uint64 `json:"broken_seed"`
		Broken     string `json:"broken"`
		Worlds     int    `json:"worlds"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil { // a crash, and not a bug that was caught
		return errors.Join(ran, fmt.Errorf("soak: %.2000s", errs.String()))
	}
	o.worlds += report.Worlds
	o.seed, o.broken = report.BrokenSeed, report.Broken
	return nil
}
