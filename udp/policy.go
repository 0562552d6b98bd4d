package udp

import (
	"fmt"
	"net/netip"
)

// Plain says to which addresses a host speaks the base protocol, which has no encryption and proves nothing about who sends
// (PROTOCOL.md 9). Connects from elsewhere get no answer.
type Plain uint8

const (
	// PlainLoopback allows loopback addresses only: not even the other addresses of this machine. It is the default.
	PlainLoopback Plain = iota
	// PlainNever allows nobody.
	PlainNever
	// PlainPrivateLAN allows loopback, private (RFC 1918, RFC 4193) and link-local addresses.
	PlainPrivateLAN
	// PlainAny allows everybody.
	PlainAny
)

// String gives the name that the command line uses for p.
func (p Plain) String() string {
	switch p {
	case PlainLoopback:
		return "loopback"
	case PlainNever:
		return "never"
	case PlainPrivateLAN:
		return "lan"
	case PlainAny:
		return "any"
	}
	return "unknown"
}

// allows reports whether p lets a host talk to addr, which is unmapped.
func (p Plain) allows(addr netip.Addr) bool {
	switch p {
	case PlainLoopback:
		return addr.IsLoopback()
	case PlainPrivateLAN:
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
	case PlainAny:
		return true
	}
	return false
}

// checkAdmits finds settings by which a host at addr would run, and nobody could join.
func (c Config) checkAdmits(addr string) *ConfigError {
	if c.RequireToken && len(c.TokenKeys) == 0 {
		return &ConfigError{"RequireToken", "keeps everybody out without TokenKeys, which open the tokens: set those of who issues them, or leave this out"}
	}
	if c.Protocol != Base {
		return nil
	}
	at, _ := netip.ParseAddrPort(addr)
	own := c.Socket == nil && c.PacketConn == nil && at.IsValid() && !at.Addr().IsUnspecified()
	switch {
	case c.Plain == PlainNever:
		return &ConfigError{"Plain", "PlainNever keeps everybody out on the base protocol: set whom it is for, or leave Protocol out for the secure one"}
	case c.Plain == PlainLoopback && own && !at.Addr().Unmap().IsLoopback():
		return &ConfigError{"Plain", fmt.Sprintf("PlainLoopback keeps everybody out who reaches %v: set udp.PlainPrivateLAN, or listen at a loopback address", addr)}
	}
	return nil
}
