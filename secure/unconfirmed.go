package secure

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing/handshake"
)

const (
	maxUnconfirmed  = 256
	unconfirmedLife = int64(5 * time.Second)
)

// unconfirmed is a session that its client has not sealed anything in yet. Once it has, all that is left is the answer to the same Auth.
type unconfirmed struct {
	join    Join
	client  uint32 // its id
	token   *token // nil if it came without
	digest  [sha256.Size]byte
	answer  [handshake.SecureAcceptSize]byte
	baked   uint32 // when its cookie was made, as that says
	began   int64
	keys    *trafficKeys // for the key log; nil if there is none
	again   bool         // the Auth came more than once
	waiting bool         // not confirmed yet
}

// unconfirmedTable holds them, oldest first.
type unconfirmedTable struct {
	rows []*unconfirmed
}

// repeated is the row of an Auth that came before, nil if there is none.
func (t *unconfirmedTable) repeated(digest *[sha256.Size]byte) *unconfirmed {
	for _, u := range t.rows {
		if u.digest == *digest {
			return u
		}
	}
	return nil
}

// waiting is the row of a session that can still be confirmed, nil if there is none.
func (t *unconfirmedTable) waiting(id uint32) *unconfirmed {
	for _, u := range t.rows {
		if u.waiting && u.join.Session.ID() == id {
			return u
		}
	}
	return nil
}

func (t *unconfirmedTable) has(id uint32) bool {
	return slices.ContainsFunc(t.rows, func(u *unconfirmed) bool { return u.join.Session.ID() == id })
}

// of is the row of a client's attempt before, which a new one replaces.
func (t *unconfirmedTable) of(client uint32, key Key) *unconfirmed {
	for _, u := range t.rows {
		if u.waiting && u.client == client && u.join.Identity.Key == key {
			return u
		}
	}
	return nil
}

func (t *unconfirmedTable) add(u *unconfirmed) { t.rows = append(t.rows, u) }

func (t *unconfirmedTable) remove(u *unconfirmed) {
	if i := slices.Index(t.rows, u); i >= 0 {
		t.rows = slices.Delete(t.rows, i, i+1)
	}
}

// spare is the row that is missed least: the oldest that is confirmed, which is kept for late copies of its Auth alone, else the oldest.
func (t *unconfirmedTable) spare() *unconfirmed {
	if i := slices.IndexFunc(t.rows, func(u *unconfirmed) bool { return !u.waiting }); i >= 0 {
		return t.rows[i]
	}
	return t.oldest()
}

// oldest is the row that ends first, nil if there is none.
func (t *unconfirmedTable) oldest() *unconfirmed {
	if len(t.rows) == 0 {
		return nil
	}
	return t.rows[0]
}
