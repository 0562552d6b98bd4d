package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// lockHead begins every lock file.
const lockHead = "# What the messages of this package were, written by netgen, which only appends. Commit it, and do not edit it.\n"

// sumWord begins the line after each block of a lock file: the fingerprint of all text above it.
const sumWord = "sum "

// lock is a lock file: blocks of what each run added, oldest first. A block is a description that holds the messages that were new under its protocol string.
type lock struct {
	text   string
	blocks []*layout.Catalogue
}

// lockError is what is wrong with a lock file, and in which line.
type lockError struct {
	line int
	text string
}

// readLock reads the lock file at path. There being none is an empty lock.
func readLock(path string) (*lock, *lockError) {
	source, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &lock{text: lockHead}, nil
	case err != nil:
		return nil, &lockError{1, err.Error()}
	}
	return parseLock(string(normal(source)))
}

const restore = "restore the file (git checkout " + lockFile + ") and change the Go source instead"

func parseLock(text string) (*lock, *lockError) {
	l := &lock{text: text}
	begin, offset := len(lockHead), 0
	for i, line := range strings.SplitAfter(text, "\n") {
		at := i + 1
		if isMarker(line) {
			return nil, &lockError{at, "two branches added to it: take the file of the branch that players have (git checkout --ours or --theirs " + lockFile +
				"), then run go generate, which appends what the other one added"}
		}
		if sum, ok := strings.CutPrefix(line, sumWord); ok {
			if !strings.HasPrefix(text, lockHead) || offset < begin || sum != sumOf(text[:offset]) {
				return nil, &lockError{at, "what is above this sum was edited: " + restore}
			}
			block, err := layout.Parse(text[begin:offset])
			if err != nil {
				return nil, &lockError{at, fmt.Sprintf("the block above cannot be read (%v): %s", err, restore)}
			}
			l.blocks = append(l.blocks, block)
			begin = offset + len(line)
		}
		offset += len(line)
	}
	if text[min(begin, len(text)):] != "" || len(l.blocks) == 0 {
		return nil, &lockError{strings.Count(text, "\n") + 1, "it ends in the middle: " + restore}
	}
	return l, nil
}

func sumOf(text string) string { return fmt.Sprintf("%016x\n", layout.Fingerprint(text)) }

func isMarker(line string) bool {
	return slices.ContainsFunc([]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"}, func(m string) bool { return strings.HasPrefix(line, m) })
}

// add appends a block with the messages of c that the lock does not have yet.
func (l *lock) add(c *layout.Catalogue, names map[string]bool) {
	block := *c
	block.Messages, block.Methods = nil, nil
	for _, m := range c.Messages {
		if !names[m.Name] {
			continue
		}
		if isDev(c.Protocol) {
			m.Fields = nil
		}
		block.Messages = append(block.Messages, m)
	}
	for _, m := range c.Methods {
		if !names[m.Name] {
			continue
		}
		if isDev(c.Protocol) {
			m.Fields, m.Results = nil, nil
		}
		block.Methods = append(block.Methods, m)
	}
	if len(block.Messages)+len(block.Methods) == 0 {
		return
	}
	l.text += block.String()
	l.text += sumWord + sumOf(l.text)
	l.blocks = append(l.blocks, &block)
}

// isDev reports whether a protocol is in the making: only its ids are locked.
func isDev(protocol string) bool { return strings.HasSuffix(protocol, "-dev") }

// current gives the newest protocol that is not in the making, "" if there is none.
func (l *lock) current() string {
	for _, b := range slices.Backward(l.blocks) {
		if !isDev(b.Protocol) {
			return b.Protocol
		}
	}
	return ""
}

func (l *lock) has(protocol string) bool {
	return slices.ContainsFunc(l.blocks, func(b *layout.Catalogue) bool { return b.Protocol == protocol })
}

// merged gives all that was locked under a protocol as one catalogue.
func (l *lock) merged(protocol string) *layout.Catalogue {
	all := &layout.Catalogue{}
	for _, b := range l.blocks {
		if b.Protocol != protocol {
			continue
		}
		messages, methods := append(all.Messages, b.Messages...), append(all.Methods, b.Methods...)
		*all = *b
		all.Messages, all.Methods = messages, methods
	}
	slices.SortFunc(all.Methods, func(a, b layout.Method) int { return orderOfMethods(&a, &b) })
	slices.SortFunc(all.Messages, func(a, b layout.Message) int { return orderOf(&a, &b) })
	return all
}
