// Package scenario has no code, only tests: what users of reliable UDP in games report, played on whole hosts and clients. Each
// test is named for the behaviour that the report asks for; its comment has the number of the report. The table in reports_test.go
// says where every report is held, in this package or another. Beside them stand tests of what attackers do, whose comments have the number of
// the threat; the table in threats_test.go does the same for those.
//
// Most scenarios run in virtual time. A [testing.T] gets a world: a simulated network, hosts and clients on it that are driven by game loops, and
// raw nodes that say whatever a test wants. An attacker hears everything and sends in anybody's name; a middle stands on the path and passes on what
// it likes; a peer made by hand has keys, and sends what a peer must not. What needs goroutines runs in a bubble of package testing/synctest, on a switchboard of
// net.PacketConn. Real sockets and child processes are left to the reports that are about them.
//
// In every world these hold besides what a test asks for: each connection has Connected first, Disconnected last and each once, a
// failed dial has neither; no datagram is above 1200 bytes, has a kind that the protocol of its sender lacks, or is a fallback to plain text; the books of the network balance.
package scenario
