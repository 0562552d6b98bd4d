// Package dumbbell runs bulk through one bottleneck in virtual time and measures what comes of it: goodput, the queue, what a game beside it
// notices, and how flows share. Tests, benchmarks and udpecho sim -bulk have it in common.
//
//	sender 0 ──┐                       ┌── receiver 0    bulk, and a game on the same connection
//	sender 1 ──┤                       ├── receiver 1    more bulk
//	player   ──┼── rate, queue ── loss ┼── server        a game on a connection of its own
//	stranger ──┘                       └── stranger's    a CUBIC flow that is not of this library
//
// What goes back has a path without a bottleneck, with the same loss.
package dumbbell
