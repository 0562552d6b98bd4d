package main

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/sim/proxy"
)

func runProxy(ctx context.Context, con console, args []string) error {
	c, err := parseProxy(con, args)
	if err != nil {
		return err
	}
	to, err := net.ResolveUDPAddr("udp", c.To)
	if err != nil {
		return fmt.Errorf("-to %s: looking up the address of the host: %w", c.To, err)
	}
	c.To = to.String()
	p, err := proxy.New(c)
	if err != nil {
		return listenError(c.Listen, err)
	}
	con.printf("listening %v\n", p.Addr())
	stop := context.AfterFunc(ctx, func() { p.Close() })
	defer stop()
	err = p.Run()
	p.Close()
	con.printf("%s", proxySummary(p.Counts()))
	return err
}

func parseProxy(con console, args []string) (c proxy.Config, err error) {
	var link linkFlags
	fs := newFlags("proxy", "proxy -to ADDR [FLAGS]", "Relays datagrams between any clients and one host, in real time, through a link that is not\n"+
		"perfect. Prints its address first. Ends with SIGINT or SIGTERM and tells what became of the datagrams.")
	fs.StringVar(&c.Listen, "listen", "127.0.0.1:0", "`ADDR` for the clients; port 0 picks a free one")
	fs.StringVar(&c.To, "to", "", "`ADDR` of the host")
	fs.Uint64Var(&c.Seed, "seed", 1, "`SEED` of what is random")
	fs.IntVar(&c.MaxClients, "max", 256, "`N` clients at once")
	link.register(fs)
	if err := con.parse(fs, args); err != nil {
		return c, err
	}
	if c.To == "" {
		return c, usagef("-to is needed: the address of the host")
	}
	if err := firstError(fs.noMore(), checkAddress("listen", c.Listen, true), checkAddress("to", c.To, false),
		checkRange("max", c.MaxClients, 1, 65536)); err != nil {
		return c, err
	}
	c.Up, c.Down, err = link.conditions()
	return c, err
}

// proxySummary tells what became of the datagrams in each direction.
func proxySummary(c proxy.Counts) string {
	var b strings.Builder
	b.WriteString("to the host: " + direction(&c.Up) + "\n")
	b.WriteString("to clients:  " + direction(&c.Down) + "\n")
	if c.Errors > 0 {
		fmt.Fprintf(&b, "errors:      %d reads and writes failed, as they do if nothing listens at the host's address\n", c.Errors)
	}
	return b.String()
}

func direction(c *sim.Counts) string {
	if c.Sent == 0 {
		return "nothing came"
	}
	return c.String()
}
