package reliable

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestParitiesGiveTheFragmentsThatAreMissing(t *testing.T) {
	for name, row := range map[string][]string{
		"the first, by the first parity":  {"ordered 1- cd", "ordered 2> e", "parity ordered 0 0 ab|cd|e"},
		"one between, by the second":      {"ordered 0< ab", "ordered 2> e", "parity ordered 0 1 ab|cd|e"},
		"the last, which is shorter":      {"ordered 0< ab", "ordered 1- cd", "parity ordered 0 7 ab|cd|e"},
		"two":                             {"ordered 1- cd", "parity ordered 0 2 ab|cd|e", "parity ordered 0 5 ab|cd|e"},
		"parity before fragments":         {"parity ordered 0 3 ab|cd|e", "ordered 2> e", "ordered 0< ab"},
		"parity between fragments":        {"ordered 0< ab", "parity ordered 0 3 ab|cd|e", "ordered 1- cd"},
		"all, as others may send so many": {"parity ordered 0 0 ab|cd|e", "parity ordered 0 1 ab|cd|e", "parity ordered 0 2 ab|cd|e"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPackets(t)
			for i, frames := range row {
				if i < len(row)-1 {
					s.gets(frames).quiet()
				} else {
					s.gets(frames)
				}
			}
			s.reads("abcde").gets("ordered 3 next").reads("next")
			require.Empty(t, s.e.packets.rebuilder.sets, "nothing is kept of a message that is complete")
			require.NotZero(t, s.e.Stats().FragmentsRebuilt)
		})
	}
}

func TestWhatWasRebuiltAndComesLaterIsADuplicate(t *testing.T) {
	s := newPackets(t).gets("unordered 0< ab", "parity unordered 0 0 ab|cd").reads("abcd")
	s.gets("unordered 1> cd", "parity unordered 0 1 ab|cd").quiet()
	require.EqualValues(t, 1, s.e.Stats().DuplicatesReceived)
	require.EqualValues(t, 1, s.e.Stats().ParitiesUseless)
}

func TestRebuiltMessagesWaitForThoseBefore(t *testing.T) {
	newPackets(t).gets("ordered 1< ab", "parity ordered 1 0 ab|cd").quiet().gets("ordered 0 first").reads("first", "abcd")
}

func TestASequencedMessageIsRebuiltUnlessANewerOneBegan(t *testing.T) {
	newPackets(t).gets("sequenced 0< ab", "parity sequenced 0 0 ab|cd").reads("abcd")
	s := newPackets(t).gets("sequenced 0< ab", "sequenced 2 new").reads("new")
	s.gets("parity sequenced 0 0 ab|cd").quiet()
	require.EqualValues(t, 1, s.e.Stats().ParitiesUseless)
}

func TestParityAsksForAnAckAtOnce(t *testing.T) {
	newPackets(t).gets("parity ordered 0 0 ab|cd").sends("ack @0 and @1")
	newPackets(t).gets("parity part 1 0 ab|cd").idle()
}

func TestParitiesThatDoNotFitEndTheSession(t *testing.T) {
	for name, row := range map[string][]string{
		"fragments of another size":    {"ordered 0< abc", "parity ordered 0 0 ab|cd"},
		"a last one of another size":   {"ordered 1> cd", "parity ordered 0 0 ab|c"},
		"the first of another message": {"ordered 1< cd", "parity ordered 0 0 ab|cd"},
		"two that differ in count":     {"parity ordered 0 0 ab|cd|ef", "parity ordered 0 1 ab|cd"},
		"two that differ in size":      {"parity ordered 0 0 ab|cd|ef", "parity ordered 0 1 abc|def|efg"},
		"two that differ in the last":  {"parity ordered 0 0 ab|cd|ef", "parity ordered 0 1 ab|cd|e"},
		"more behind the last":         {"ordered 0< ax", "parity ordered 0 1 ab|c"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPackets(t)
			for _, frames := range row {
				s.give(frames)
			}
			s.ends()
		})
	}
}

func TestANinthIncompleteMessageWithParitiesIsNotTaken(t *testing.T) {
	s := newPackets(t)
	for i := range 8 {
		s.gets(fmt.Sprintf("parity ordered %d 0 ab|cd", 2*i))
	}
	s.poll()
	s.drops(framing.DropWindow, "parity ordered 16 0 ab|cd")
	s.wait(time.Second).gets("ordered 0< ab").reads("abcd").poll()
	s.gets("parity ordered 16 0 ab|cd").wait(5 * ms)
	require.NotEmpty(t, s.poll())
}

func TestAParityBeyondTheWindowIsNotTaken(t *testing.T) {
	s := newPackets(t).drops(framing.DropWindow, "parity ordered 1023 0 ab|cd").gets("parity ordered 1022 0 ab|cd")
	require.Len(t, s.e.packets.rebuilder.sets, 1)
}

func TestParitiesOfLossyMessages(t *testing.T) {
	for name, row := range map[string][]string{
		"the first":    {"part 9 1/3 cd", "part 9 2/3 e", "parity part 9 0 ab|cd|e"},
		"the last":     {"part 9 1/3 cd", "part 9 0/3 ab", "parity part 9 4 ab|cd|e"},
		"two":          {"part 9 1/3 cd", "parity part 9 0 ab|cd|e", "parity part 9 1 ab|cd|e"},
		"before":       {"parity part 9 3 ab|cd|e", "part 9 2/3 e", "part 9 0/3 ab"},
		"the last one": {"parity part 9 3 ab|cd|e", "part 9 1/3 cd", "part 9 0/3 ab"},
		"sequenced":    {"newestpart 7 9 0/3 ab", "parity newestpart 7 9 3 ab|cd|e", "newestpart 7 9 1/3 cd"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPackets(t).gets(row...).reads("abcde")
			s.gets(row...).quiet()
			require.Empty(t, s.e.packets.sets, "what comes of a complete message begins no new one")
		})
	}
}

func TestALossyParityThatDoesNotFitIsDropped(t *testing.T) {
	for _, parity := range []string{
		"parity part 9 0 ab|cd", "parity part/1 9 0 ab|cd|e", "parity newestpart 1 9 0 ab|cd|e", "parity part 9 0 abc|def|e", "parity part 9 1 ab|cd|ef",
	} {
		s := newPackets(t).gets("part 9 0/3 ab", "part 9 2/3 e", parity).quiet()
		s.gets("part 9 1/3 cd").reads("abcde")
		require.EqualValues(t, 1, s.e.Stats().ParitiesUseless, parity)
	}
	s := newPackets(t).gets("parity part 9 0 ab|cd|e", "parity part 9 0 ab|cd|e", "part 9 0/3 xyz", "part 9 2/3 ef").quiet()
	s.gets("part 9 0/3 ab", "part 9 1/3 cd").reads("abcde")
}
