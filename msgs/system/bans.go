package system

import (
	"math"
	"net/netip"
	"time"
)

// Identity is by what a player is known.
type Identity struct {
	Account uint64     // 0 before it was verified
	Addr    netip.Addr // invalid in one process
}

// Ban is why, and until when, somebody may not play.
type Ban struct {
	Text  string
	Until int64 // of the clock of the list, in nanoseconds; 0 is for ever
}

// BanList says who is banned. Its methods are called on the goroutine of the Server.
type BanList interface {
	// Banned reports whether a player is banned, by account or address, and how.
	Banned(Identity) (Ban, bool)
	// Ban bans a player for a time, 0 for ever.
	Ban(id Identity, text string, d time.Duration)
}

// Bans is a BanList in memory. Bans that are over are forgotten when somebody asks for them.
type Bans struct {
	clock    func() int64
	accounts map[uint64]Ban
	addrs    map[netip.Addr]Ban
}

// NewBans makes an empty list. The clock gives nanoseconds.
func NewBans(clock func() int64) *Bans {
	return &Bans{clock, map[uint64]Ban{}, map[netip.Addr]Ban{}}
}

// Banned reports whether a player is banned by its account or by its address.
func (b *Bans) Banned(id Identity) (Ban, bool) {
	if ban, ok := current(b.accounts, id.Account, b.clock()); ok {
		return ban, true
	}
	return current(b.addrs, id.Addr, b.clock())
}

func current[K comparable](bans map[K]Ban, key K, now int64) (Ban, bool) {
	ban, ok := bans[key]
	if ok && ban.Until != 0 && now >= ban.Until {
		delete(bans, key)
		return Ban{}, false
	}
	return ban, ok
}

// Ban bans the account if there is one, and else the address.
func (b *Bans) Ban(id Identity, text string, d time.Duration) {
	ban := newBan(text, b.clock(), d)
	switch {
	case id.Account != 0:
		b.accounts[id.Account] = ban
	case id.Addr.IsValid():
		b.addrs[id.Addr] = ban
	}
}

// newBan is a ban from now on. One that the clock does not live to see end is for ever.
func newBan(text string, now int64, d time.Duration) Ban {
	ban := Ban{Text: text}
	if d > 0 && int64(d) <= math.MaxInt64-now {
		ban.Until = now + int64(d)
	}
	return ban
}

// Unban takes a ban back.
func (b *Bans) Unban(id Identity) {
	delete(b.accounts, id.Account)
	delete(b.addrs, id.Addr)
}
