package soak

import (
	"math/rand/v2"
	"time"
)

// dice draws what a world is made of. Its methods go the same way on every processor, which those of rand.Rand do not where an int has 32 bits.
type dice struct{ source *rand.ChaCha8 }

func newDice(seed [32]byte) dice { return dice{rand.NewChaCha8(seed)} }

// below draws a number from 0 to n-1.
func (d dice) below(n int) int { return int(d.source.Uint64() % uint64(n)) }

// between draws a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.below(high-low+1) }

// oneIn reports true once in n times.
func (d dice) oneIn(n int) bool { return d.below(n) == 0 }

// duration draws a time from low to high, in whole microseconds.
func (d dice) duration(low, high time.Duration) time.Duration {
	span := uint64((high-low)/time.Microsecond) + 1
	return low + time.Duration(d.source.Uint64()%span)*time.Microsecond
}

// secret draws 32 bytes.
func (d dice) secret() (b [32]byte) {
	d.source.Read(b[:])
	return b
}

// oneOf draws one of several values.
func oneOf[T any](d dice, of ...T) T { return of[d.below(len(of))] }
