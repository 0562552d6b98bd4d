package workload

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// The commands that a process takes after its order.
const (
	commandMemory = "memory" // answers what the process holds
	commandBegin  = "begin"  // starts to send, and to measure
	commandEnd    = "end"    // answers what was measured since begin
)

// party is what a process is: a host, or clients.
type party interface {
	do(command string) (any, error)
	// move does what the party has to do by itself, until it is to look for commands again.
	move()
	close()
}

// Serve is the whole of a process that another one started. find gives the driver of a name, nil if there is none.
func Serve(find func(name string) *peer.Driver, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		return io.ErrUnexpectedEOF
	}
	answers := json.NewEncoder(out)
	p, first, err := newParty(find, lines.Bytes())
	if err != nil {
		return answers.Encode(reply{Error: err.Error()})
	}
	defer p.close()
	if err := answer(answers, first, nil); err != nil {
		return err
	}
	commands := make(chan string)
	go func() {
		defer close(commands)
		for lines.Scan() {
			var c string
			_ = json.Unmarshal(lines.Bytes(), &c)
			commands <- c
		}
	}()
	return obey(p, commands, answers)
}

func obey(p party, commands <-chan string, answers *json.Encoder) error {
	for {
		select {
		case c, open := <-commands:
			if !open {
				return nil
			}
			value, err := p.do(c)
			if err := answer(answers, value, err); err != nil {
				return err
			}
		default:
			p.move()
		}
	}
}

func answer(answers *json.Encoder, value any, err error) error {
	if err != nil {
		return answers.Encode(reply{Error: err.Error()})
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return answers.Encode(reply{Value: encoded})
}

func newParty(find func(name string) *peer.Driver, line []byte) (p party, first any, err error) {
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return nil, nil, err
	}
	d := find(o.Driver)
	if d == nil {
		return nil, nil, fmt.Errorf("there is no driver %q", o.Driver)
	}
	if o.Addr == "" {
		return newCrowdHost(d, o)
	}
	return newCrowdClients(d, o)
}
