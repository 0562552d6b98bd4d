package msgs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// versionOf is a catalogue of one message, whose description is chat's in parts, with what replacements say.
func versionOf(t testing.TB, name string, replacements ...string) *msgs.Catalogue {
	text := strings.NewReplacer(replacements...).Replace("catalogue " + name + ` protocol P-1 codec bytes
message 1 Say from both delivery ordered channel 0
  Text text max=200
`)
	_, err := layout.Parse(text)
	require.NoError(t, err)
	return &msgs.Catalogue{
		Name: name, Protocol: "P-1", Codec: layout.Bytes, Description: text, Fingerprint: layout.Fingerprint(text),
		Entries: []msgs.Entry{{ID: 1, Name: "Say", From: msgs.Both, Delivery: transport.ReliableOrdered, MinSize: 3, MaxSize: 203}},
	}
}

// agreed is what a router with the given mounts has to agree on with the other side.
func agreed(t *testing.T, mounts ...msgs.Mount) transport.Catalogue {
	return newTable(t, msgs.Config{Catalogues: mounts}).Catalogue()
}

func TestRoutersWithTheSameCataloguesAgree(t *testing.T) {
	a, b := versionOf(t, "a"), versionOf(t, "b")
	one := agreed(t, msgs.Mount{Catalogue: a}, msgs.Mount{Catalogue: b, Channel: 8})
	other := agreed(t, msgs.Mount{Catalogue: b, Channel: 8}, msgs.Mount{Catalogue: a})
	require.Equal(t, one.Fingerprint, other.Fingerprint, "the order in which they are named changes nothing on the wire")
	require.Equal(t, one.Description, other.Description)
	require.NotZero(t, one.Fingerprint)
}

func TestAMismatchNamesWhatDiffers(t *testing.T) {
	chat := func(replacements ...string) *msgs.Catalogue { return versionOf(t, "chat", replacements...) }
	say := func(c *msgs.Catalogue) []msgs.Descriptor {
		return []msgs.Descriptor{{Catalogue: c, Entry: &c.Entries[0]}}
	}
	same, named := chat(), chat()
	for _, row := range []struct {
		name         string
		mine, theirs []msgs.Mount
		want         string
	}{
		{"a field", []msgs.Mount{{Catalogue: chat()}}, []msgs.Mount{{Catalogue: chat("max=200", "max=100")}},
			"chat: message Say (id 1), field Text: text max=200 here, text max=100 there"},
		{"a message", []msgs.Mount{{Catalogue: chat()}}, []msgs.Mount{{Catalogue: chat("Say", "Shout")}},
			"chat: message Say (id 1): from both, delivery ordered here, missing there; chat: message Shout (id 1): missing here, from both, delivery ordered there"},
		{"the protocol", []msgs.Mount{{Catalogue: chat()}}, []msgs.Mount{{Catalogue: chat("P-1", "P-2")}},
			"chat: catalogue: protocol P-1 here, protocol P-2 there"},
		{"the channel", []msgs.Mount{{Catalogue: same}}, []msgs.Mount{{Catalogue: same, Channel: 3}},
			"chat: catalogue: mount channel 0 here, mount channel 3 there"},
		{"the messages of any mode", []msgs.Mount{{Catalogue: named, AnyMode: say(named)}}, []msgs.Mount{{Catalogue: same}},
			"chat: catalogue: mount channel 0 anymode Say here, mount channel 0 there"},
		{"a catalogue", []msgs.Mount{{Catalogue: same}, {Catalogue: versionOf(t, "plugin"), Channel: 1}}, []msgs.Mount{{Catalogue: same}},
			"plugin: catalogue: protocol P-1 here, missing there"},
	} {
		t.Run(row.name, func(t *testing.T) {
			mine, theirs := agreed(t, row.mine...), agreed(t, row.theirs...)
			require.NotEqual(t, mine.Fingerprint, theirs.Fingerprint)
			err := mine.Explain(theirs.Description)
			require.EqualError(t, err, row.want)
			var mismatch *msgs.MismatchError
			require.ErrorAs(t, &transport.CatalogueError{Err: err}, &mismatch)
			require.ErrorAs(t, theirs.Explain(mine.Description), &mismatch)
		})
	}
}

func TestALongMismatchIsCutShortInItsTextAlone(t *testing.T) {
	var fields strings.Builder
	fields.WriteString("max=200\n")
	for i := range 20 {
		fields.WriteString("  Field" + string(rune('A'+i)) + " uint8\n")
	}
	mine := agreed(t, msgs.Mount{Catalogue: versionOf(t, "chat")})
	err := mine.Explain(agreed(t, msgs.Mount{Catalogue: versionOf(t, "chat", "max=200\n", fields.String())}).Description)
	var mismatch *msgs.MismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Len(t, mismatch.Differences, 20)
	require.ErrorContains(t, err, "and 12 more")
}

func TestAnyTextOfTheOtherSideIsExplained(t *testing.T) {
	mine := agreed(t, msgs.Mount{Catalogue: versionOf(t, "chat")})
	for text, want := range map[string]string{
		"":                                       "chat: catalogue: protocol P-1 here, missing there",
		"hello":                                  "cannot read",
		"mount channel 0":                        "cannot read",
		strings.Repeat("mount channel 0\n", 100): "cannot read",
		strings.Replace(mine.Description, "mount channel 0", "mount channel 0 \x1b[2J", 1): "mount channel 0 \uFFFD[2J there",
		strings.Repeat(mine.Description, 65):                                               "more than 64 mounts",
		mine.Description:                                                                   "the descriptions say the same",
	} {
		require.ErrorContains(t, mine.Explain(text), want, "%.40q", text)
	}
}

// A stranger makes this side read no more than it would have to of its own kind.
func TestOfACatalogueThatIsNotComparedTheNameAloneIsRead(t *testing.T) {
	mine := agreed(t, msgs.Mount{Catalogue: versionOf(t, "chat")})
	const other = "mount channel 1\ncatalogue other protocol X codec bytes\nwhat is not read\n"
	require.EqualError(t, mine.Explain(mine.Description+other), "other: catalogue: missing here, protocol X there")
	again := strings.Replace(other, "other", "chat", 1)
	require.EqualError(t, mine.Explain(mine.Description+again), "chat: catalogue: missing here, protocol X there")
	require.ErrorContains(t, mine.Explain(again), "cannot read")
}

// BenchmarkAHostileDescription explains the longest text whose every byte has to be read, and one that says much in few bytes, to a router of one catalogue.
func BenchmarkAHostileDescription(b *testing.B) {
	router, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: versionOf(b, "chat")}}})
	require.NoError(b, err)
	explain := router.Catalogue().Explain
	mounts := func(fields string) string {
		var all strings.Builder
		for i := range 64 {
			fmt.Fprintf(&all, "mount channel %d\ncatalogue chat protocol P-1 codec bytes\nmessage 1 Say from both delivery ordered channel 0\n%s", i, fields)
			if all.Len()+len(fields) > transport.MaxDescription-1000 {
				break
			}
		}
		return all.String()
	}
	var fields strings.Builder
	for i := 0; fields.Len() < layout.MaxText-200; i++ {
		fmt.Fprintf(&fields, "  A%d bool\n", i)
	}
	for name, text := range map[string]string{"fields": mounts(fields.String()), "enums": mounts("  E enum16 values=0..65535\n")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var mismatch *msgs.MismatchError
				require.ErrorAs(b, explain(text), &mismatch)
			}
		})
	}
}
