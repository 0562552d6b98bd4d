package proxy

import (
	"errors"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// Config says between whom a [Proxy] stands and what it does to the datagrams.
type Config struct {
	Listen string // address for the clients, such as "127.0.0.1:0"
	To     string // address of the host; a name is looked up once

	Up   sim.Conditions // from each client to the host
	Down sim.Conditions // from the host to each client

	// Seed settles what is random. Equal seeds treat equal traffic equally.
	Seed uint64

	// MaxClients bounds the clients at a time, and with them sockets and goroutines; 256. Datagrams of others are counted and dropped.
	MaxClients int
	// Idle is how long a client may be silent in both directions before it is forgotten; 1 min.
	Idle time.Duration
}

func (c Config) withDefaults() Config {
	if c.MaxClients == 0 {
		c.MaxClients = 256
	}
	if c.Idle == 0 {
		c.Idle = time.Minute
	}
	return c
}

func (c Config) check() error {
	if c.To == "" {
		return errors.New("proxy: Config.To is empty: set the address of the host")
	}
	if c.MaxClients < 1 || c.Idle < 0 {
		return fmt.Errorf("proxy: MaxClients is %d and Idle is %v: neither may be negative", c.MaxClients, c.Idle)
	}
	return checkConditions(c.Up, c.Down)
}

func checkConditions(up, down sim.Conditions) error {
	if err := up.Validate(); err != nil {
		return fmt.Errorf("proxy: towards the host: %w", err)
	}
	if err := down.Validate(); err != nil {
		return fmt.Errorf("proxy: towards the clients: %w", err)
	}
	if up.Through != nil || down.Through != nil {
		return fmt.Errorf("proxy: Conditions.Through belongs to another network: use Rate and Queue")
	}
	return nil
}
