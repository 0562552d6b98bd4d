package udp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// resolve gives the addresses to try, at most one of each family.
func resolve(ctx context.Context, addr string) ([]netip.AddrPort, error) {
	if ap, err := netip.ParseAddrPort(addr); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(answering(ap.Addr()), ap.Port())}, checkPort(addr, ap.Port())
	}
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("udp: dial %s: %w%s", addr, err, hint(err))
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return nil, lookupError(ctx, addr, err)
	}
	ips, err := lookup(ctx, host)
	if err != nil {
		return nil, lookupError(ctx, addr, err)
	}
	return oneOfEach(ips, uint16(port)), checkPort(addr, uint16(port))
}

var loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// answering is the address that answers from ip come from, in the spelling that sockets give it: the loopback address for the
// unspecified one, a zone by the name of its interface, and none where it means nothing.
func answering(ip netip.Addr) netip.Addr {
	ip = ip.Unmap()
	switch {
	case ip == netip.IPv4Unspecified():
		return loopback4
	case ip.WithZone("") == netip.IPv6Unspecified():
		return netip.IPv6Loopback()
	case !ip.IsLinkLocalUnicast():
		return ip.WithZone("")
	}
	if index, err := strconv.Atoi(ip.Zone()); err == nil {
		if i, err := net.InterfaceByIndex(index); err == nil {
			return ip.WithZone(i.Name)
		}
	}
	return ip
}

// lookup knows both addresses of localhost, of which many systems list one alone. No name is localhost as well, as in package net.
func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if host == "localhost" || host == "" {
		return []netip.Addr{loopback4, netip.IPv6Loopback()}, nil
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func checkPort(addr string, port uint16) error {
	if port == 0 {
		return fmt.Errorf("udp: dial %s: port 0 cannot be dialled", addr)
	}
	return nil
}

// lookupError wraps the error of ctx if that is why the look-up ended.
func lookupError(ctx context.Context, addr string, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("udp: dial %s: looking up the name: %w", addr, err)
}

// oneOfEach takes the first address of each family.
func oneOfEach(ips []netip.Addr, port uint16) []netip.AddrPort {
	var targets []netip.AddrPort
	for _, ip := range ips {
		ip = answering(ip)
		same := func(other netip.AddrPort) bool { return other.Addr().Is4() == ip.Is4() }
		if !slices.ContainsFunc(targets, same) {
			targets = append(targets, netip.AddrPortFrom(ip, port))
		}
	}
	return targets
}

// networkFor is the kind of socket that reaches all targets.
func networkFor(targets []netip.AddrPort) string {
	is6 := func(a netip.AddrPort) bool { return a.Addr().Is6() }
	switch {
	case !slices.ContainsFunc(targets, is6):
		return "udp4"
	case len(targets) == 1:
		return "udp6"
	}
	return "udp"
}
