package workload

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is another process of this program, which hosts or has clients. It gets an order, and then commands, as lines of JSON, and answers each with one.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	answers chan answered
}

type answered struct {
	line []byte
	err  error
}

// spareProcess, in the environment, makes this program such a process.
const spareProcess = "GANNET_PEERS_PROCESS"

// IsProcess reports whether this process was started by another one, for Serve.
func IsProcess() bool { return os.Getenv(spareProcess) != "" }

// order says what a process is to be.
type order struct {
	Driver string
	App    string // name of the application
	Plan   crowdPlan

	Addr  string // of the host; empty for the host itself
	First int    // clients of this process, among all
	Count int
}

// startProcess starts a process, and decodes its first answer.
func startProcess(o order, first any) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{command: exec.Command(self), answers: make(chan answered)}
	p.command.Env = append(os.Environ(), spareProcess+"=1")
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go p.read()
	if err := p.ask(o, first, time.Minute+time.Duration(o.Count)*50*time.Millisecond); err != nil { // clients take their time to connect
		p.end()
		return nil, err
	}
	return p, nil
}

// read passes on what the process says, until it ends.
func (p *process) read() {
	defer close(p.answers)
	for {
		line, err := p.out.ReadBytes('\n')
		p.answers <- answered{line, err}
		if err != nil {
			return
		}
	}
}

// ask sends a line and decodes the answer.
func (p *process) ask(line, answer any, patience time.Duration) error {
	if err := json.NewEncoder(p.in).Encode(line); err != nil {
		return err
	}
	select {
	case a := <-p.answers:
		if a.err != nil {
			return fmt.Errorf("the other process ended: %w", a.err)
		}
		return decode(a.line, answer)
	case <-time.After(patience):
		return errors.New("the other process does not answer")
	}
}

// reply is what a process answers.
type reply struct {
	Error string          `json:",omitempty"`
	Value json.RawMessage `json:",omitempty"`
}

func decode(line []byte, answer any) error {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("answer of the other process: %w", err)
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(r.Value, answer)
}

// end closes the process's input, which ends it, or kills it if that does not help.
func (p *process) end() {
	_ = p.in.Close()
	late := time.AfterFunc(20*time.Second, func() { _ = p.command.Process.Kill() })
	defer late.Stop()
	for range p.answers {
	}
	_ = p.command.Wait()
}
