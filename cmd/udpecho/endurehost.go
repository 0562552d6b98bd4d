package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// The questions that the process of the host answers, a line each with a line of JSON.
const (
	look    = "look"    // vitals as they are
	collect = "collect" // vitals after a collection
)

// serveEnduring is the process of the host: it prints its address and key, echoes, and answers questions until there is no one to ask them.
func serveEnduring(con console, questions io.Reader) error {
	host, err := udp.Listen("127.0.0.1:0", udp.Config{Plain: udp.PlainNever, Linger: farewell, Handler: func(ev transport.Event) {
		if ev.Kind == transport.Message {
			_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery}) // an echo that is missing is found by the client
		}
	}})
	if err != nil {
		return fmt.Errorf("starting the host: %w", err)
	}
	con.printf("%v %v\n", host.Addr(), host.Key())
	answer := json.NewEncoder(con.out)
	for lines := bufio.NewScanner(questions); lines.Scan(); {
		if err := answer.Encode(ownVitals(lines.Text() == collect)); err != nil {
			break
		}
	}
	return host.Close()
}

// hostProcess is that process, seen from the one that started it.
type hostProcess struct {
	cmd     *exec.Cmd
	ask     io.WriteCloser
	answers *bufio.Reader

	addr string
	key  secure.Key
}

// startHost starts this program again as the host.
func startHost(ctx context.Context) (*hostProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &hostProcess{cmd: exec.CommandContext(ctx, self, "endure", "-as-host")}
	h.cmd.Stderr = os.Stderr
	if h.ask, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	answers, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.answers = bufio.NewReader(answers)
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	if err := h.introduction(); err != nil {
		h.end()
		return nil, fmt.Errorf("the process of the host: %w", err)
	}
	return h, nil
}

func (h *hostProcess) introduction() error {
	line, err := h.answers.ReadString('\n')
	if err != nil {
		return err
	}
	addr, key, _ := strings.Cut(strings.TrimSpace(line), " ")
	h.addr = addr
	h.key, err = secure.ParseKey(key)
	return err
}

// vitals asks the host for its own.
func (h *hostProcess) vitals(question string) (v vitals, err error) {
	if _, err := fmt.Fprintln(h.ask, question); err != nil {
		return v, fmt.Errorf("asking the process of the host: %w", err)
	}
	line, err := h.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &v)
	}
	if err != nil {
		err = fmt.Errorf("the answer of the process of the host: %w", err)
	}
	return v, err
}

// end lets the process end, and ends it if it does not.
func (h *hostProcess) end() {
	_ = h.ask.Close()
	overdue := time.AfterFunc(10*time.Second, func() { _ = h.cmd.Process.Kill() })
	defer overdue.Stop()
	_ = h.cmd.Wait()
}
