package secure

import (
	"math"

	"github.com/gannet-net/gannet/framing"
)

const maxUsedTokens = 4096

// usedTokens remembers which client came in with which token that names none, until the token has expired, PROTOCOL.md 19.1.
type usedTokens struct {
	places   map[tokenTag]int // of each token in uses
	uses     []use
	earliest int64 // no token expires before, in Unix seconds
}

type use struct {
	tag     tokenTag
	client  Key
	expires int64 // Unix seconds, skew and all
}

// check tells whether a client may come with a token: not if another did before, or if there is no room to remember it.
func (u *usedTokens) check(t *token, client Key, unix int64) framing.Drop {
	if i, used := u.places[t.tag]; used {
		if u.uses[i].client != client {
			return framing.DropTokenUsed
		}
		return framing.Accepted
	}
	if len(u.uses) == maxUsedTokens && unix > u.earliest {
		u.purge(unix)
	}
	if len(u.uses) == maxUsedTokens {
		return framing.DropTokenFull
	}
	return framing.Accepted
}

// take notes that a client came in with a token, if check allows it.
func (u *usedTokens) take(t *token, client Key, unix int64) framing.Drop {
	drop := u.check(t, client, unix)
	if _, used := u.places[t.tag]; drop == framing.Accepted && !used {
		u.add(use{t.tag, client, t.Expires + tokenSkew})
	}
	return drop
}

func (u *usedTokens) add(one use) {
	if u.places == nil {
		u.places, u.earliest = make(map[tokenTag]int), math.MaxInt64
	}
	u.places[one.tag] = len(u.uses)
	u.uses = append(u.uses, one)
	u.earliest = min(u.earliest, one.expires)
}

// purge forgets the tokens that have expired.
func (u *usedTokens) purge(unix int64) {
	kept := u.uses
	clear(u.places)
	u.uses, u.earliest = u.uses[:0], math.MaxInt64
	for _, one := range kept {
		if unix <= one.expires {
			u.add(one)
		}
	}
}
