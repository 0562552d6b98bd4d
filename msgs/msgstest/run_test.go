package msgstest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
)

// recorder stands in for a *testing.T, so that a failure can be seen without failing.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// failuresOf runs one of the checks on samples, or all of them if check is "".
func failuresOf(c *msgs.Catalogue, check string, samples ...msgs.Message) []string {
	r := &recorder{}
	s := newSuite(r, c)
	for _, sample := range samples {
		for _, each := range checks {
			if x := s.trial(r, sample, samples); x != nil && (check == "" || check == each.name) {
				each.run(x)
			}
		}
	}
	return r.failures
}

func TestACorrectMessagePasses(t *testing.T) {
	Run(t, roster, samplesOf[none]()...)
	require.Empty(t, failuresOf(roster, "", samplesOf[none]()...))
}

func TestAFlawFailsTheCheckThatIsForIt(t *testing.T) {
	for _, row := range []struct {
		samples     []msgs.Message
		check, says string
	}{
		{samplesOf[forgets](), "RoundTrip", "is not the message"},
		{samplesOf[keepsItems](), "RoundTrip", "into a message that was used before"},
		{samplesOf[keepsNote](), "RoundTrip", "decoded into a message that was used before, it is\n&{Round:3 Open:false Note:Zoë"},
		{samplesOf[keepsBytes](), "RoundTrip", "overwritten where it came from"},
		{samplesOf[dropsPrefix](), "RoundTrip", "Append to other bytes does not give those bytes"},
		{samplesOf[swaps](), "Description", "field Low is 1, but where the description has it, the bytes say 2"},

		{samplesOf[anyBool](), "Malformed", "with Open: 2, Parse takes what the description refuses: message Roster, field Open: neither true nor false"},
		{samplesOf[anyFloat](), "Malformed", "field Speed: not a finite number"},
		{samplesOf[anyEnum](), "Malformed", "with Team: 3, Parse takes what the description refuses: message Roster, field Team"},
		{samplesOf[anyRange](), "Malformed", "field Round: outside its range"},
		{samplesOf[anyText](), "Malformed", "field Names[1]: not UTF-8"},
		{samplesOf[anyLength](), "Malformed", "Parse refuses it with “message Roster, field Note: not UTF-8”, and the description with “message Roster, field Note: above its limit”"},
		{samplesOf[claims](), "Malformed", "Marks: its number: 60000, Parse of 20 bytes allocates 48"},
		{samplesOf[unread](), "Malformed", "with 1 more bytes, Parse takes what the description refuses: message Roster: 1 bytes are left"},
		{samplesOf[unreadIsMalformed](), "Malformed", "Parse refuses it with “message Roster: above its limit”, and the description with “message Roster: 1 bytes are left after its fields”"},
		{samplesOf[panics](), "Malformed", "with the first 0 bytes, Parse panics: panic: runtime error: index out of range"},
		{samplesOf[nameless](), "Malformed", "Parse refuses it with “wire: input is too short”, and the description with “message Roster: input is too short”"},

		{samplesOf[sendsNaN](), "Unencodable", "it can be encoded with field Speed set to NaN"},
		{samplesOf[sendsLong](), "Unencodable", "it can be encoded with field Note set to 17 bytes"},
		{samplesOf[sendsUndeclared](), "Unencodable", "it can be encoded with field Team set to 3"},
		{samplesOf[placeless](), "Unencodable", "with field Round set to 0, the error does not say so: message Roster: wire: outside its range"},
		{samplesOf[returnsPart](), "Unencodable", "does not return the bytes as they were"},

		{samplesOf[allocates](), "Allocations", "Append into a buffer that is large enough makes 1 allocations"},
		{samplesOf[keepsItems](), "Allocations", "Parse into a message that held the same before makes"},
	} {
		name := row.check + "/" + row.samples[0].(interface{ flawName() string }).flawName()
		t.Run(name, func(t *testing.T) {
			failures := failuresOf(roster, row.check, row.samples...)
			require.Contains(t, strings.Join(failures, "\n"), row.says)
			for _, f := range failures {
				require.Contains(t, f, "go generate", "a failure says what to do")
			}
		})
	}
}

func TestAFlawInBitsFails(t *testing.T) {
	Run(t, arena, lookOf[none]())
	require.Empty(t, failuresOf(arena, "", lookOf[none]()))
	for _, row := range []struct {
		sample msgs.Message
		says   string
	}{
		{lookOf[anyPadding](), "with a bit of the padding at the end, Parse takes what the description refuses: message Look: padding is not zero"},
		{lookOf[anyAlignment](), "Name: a bit of its padding, Parse takes what the description refuses: message Look, field Name: padding is not zero"},
		{lookOf[anyEnum](), "with Kind: 5, Parse takes what the description refuses: message Look, field Kind: not a declared value"},
		{lookOf[anyRotation](), "field Turn: "},
		{lookOf[unread](), "with 1 more bytes, Parse takes what the description refuses"},
	} {
		require.Contains(t, strings.Join(failuresOf(arena, "Malformed", row.sample), "\n"), row.says)
	}
}

func TestARefusalThatTheDescriptionDoesNotKnowIsAFlawUnlessItIsAValidate(t *testing.T) {
	sample := sampleOf[refuses]()
	b, err := sample.Append(nil)
	require.NoError(t, err)
	x := newSuite(&recorder{}, roster).trial(&recorder{}, sample, nil)
	setBits(b, 8*(1+1+1+2+4+4+1), 16, 0) // Low
	require.Contains(t, x.judge(b), "Parse refuses what the description takes: Roster: the generated code does not like it")
	x.validates = true
	require.Empty(t, x.judge(b))
}

func TestASampleThatCannotBeEncodedIsToldApart(t *testing.T) {
	bad := sampleOf[none]()
	bad.Team = 3
	failures := failuresOf(roster, "RoundTrip", bad)
	require.Len(t, failures, 1+4, "once for each check")
	require.Contains(t, failures[0], "a sample cannot be encoded: message Roster, field Team: not a declared value")
}

func TestACatalogueThatIsNotItsDescriptionFails(t *testing.T) {
	for _, row := range []struct {
		change func(*msgs.Catalogue)
		says   string
	}{
		{func(c *msgs.Catalogue) { c.Fingerprint++ }, "the fingerprint of catalogue roster"},
		{func(c *msgs.Catalogue) { c.Protocol = "ROSTER-2" }, "another name, protocol, codec"},
		{func(c *msgs.Catalogue) { c.States = nil }, "another name, protocol, codec"},
		{func(c *msgs.Catalogue) { c.Entries = nil }, "has 0 messages, and its description 1"},
		{func(c *msgs.Catalogue) { c.Entries[0].MaxSize++ }, "but by its description"},
		{func(c *msgs.Catalogue) { c.Entries[0].Channel = 1 }, "but by its description"},
		{func(*msgs.Catalogue) {}, "no sample of message Roster"},
	} {
		c := catalogueOf(roster.Description)
		row.change(c)
		r := &recorder{}
		newSuite(r, c).checkCatalogue(r, nil)
		require.Contains(t, strings.Join(r.failures, "\n"), row.says)
	}
	r := &recorder{}
	newSuite(r, roster).checkCatalogue(r, samplesOf[none]())
	require.Empty(t, r.failures)
}

func TestADescriptionThatIsNoneFails(t *testing.T) {
	r := &recorder{}
	require.Nil(t, newSuite(r, &msgs.Catalogue{Name: "old", Description: "catalogue"}))
	require.Contains(t, r.failures[0], "the description of catalogue old is not one")
}

// Renamed is a Roster without the field Low.
type Renamed struct {
	Roster[none]
	Low struct{ Lower uint16 }
}

func TestATypeWithoutAFieldOfTheDescriptionFails(t *testing.T) {
	require.Contains(t, strings.Join(failuresOf(roster, "Description", &Renamed{Roster: *sampleOf[none]()}), "\n"), "field Low is")
	_, err := fieldAt(reflect.ValueOf(&Renamed{}), "Upper")
	require.EqualError(t, err, "no field Upper")
	_, err = fieldAt(reflect.ValueOf(&Renamed{}), "Names[0]")
	require.EqualError(t, err, "slice has no 0")
}

func TestAMessageThatIsNotInTheDescriptionFails(t *testing.T) {
	require.Contains(t, failuresOf(arena, "RoundTrip", sampleOf[none]())[0], "is not in the description of catalogue arena")
}
