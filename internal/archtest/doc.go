// Package archtest holds the rules of ARCHITECTURE.md and CONTRIBUTING.md as ordinary tests over the source of the whole
// repository: which package may import which, what the deterministic packages must not touch, formatting, documentation, and words
// that mark unfinished work.
//
// The rules are tables in rules_test.go, each row with its reason. Each check has a test of its own that plants a
// violation and wants it found.
package archtest
