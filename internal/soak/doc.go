// Package soak plays worlds on the simulated network: a host with players that join, talk in all modes, leave, roam, sleep and crash, while the network, the
// sockets and the machines fail in every way that package sim can do. One seed is one world, bit for bit; "udpecho soak" plays many.
//
// # Phases
//
// A world begins with faults. Then all of them end and the links lose nothing: everybody has to have a session again, and all that is reliable has to arrive, soon. Then
// everybody leaves in one of the ways in which people do, the host closes, and nothing may be left behind, neither in the engines nor on the wire.
//
// # Invariants
//
// They are the constants of [Invariant]. Those of messages and events (I1, I2, I3, I6, I7) are held whenever an application gets one, those of datagrams (I8, I9, I12)
// whenever one is sent; all of these take constant time, but for the books of a session, which are compared once, when both of its ends are over. What has to be
// asked for (I4, I10, I11, I13) is asked 10 times a second of virtual time, and the network audits itself (I14) every 5 s.
//
// # Plans
//
// [Draw] makes the [Plan] of a seed: options, players, streams of messages, and a list of faults with their times. Fifteen worlds of sixteen have the traffic of a game: three players, 60
// unreliable messages a second and 5 reliable ones in each direction, 10 % loss. Every sixteenth is heavy: all modes, many channels, fragments, bulk, small queues, up to six players,
// and more of everything. A plan that fails is made smaller by [Shrink], which leaves out faults, players and streams.
//
// Faults come in lanes. Those of one lane follow each other, those of different lanes overlap. Where what two faults do together takes a moment or a long session, they
// hardly ever do: heavy worlds have scenes in which they meet, and nothing else befalls who is in one (scenes.go).
package soak
