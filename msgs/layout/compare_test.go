package layout

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sentences compares text with what it is once the replacements are made, given as old and new in turn.
func sentences(t *testing.T, text string, replacements ...string) []string {
	t.Helper()
	changed := strings.NewReplacer(replacements...).Replace(text)
	require.NotEqual(t, text, changed)
	var all []string
	for _, d := range Compare(parsed(t, text), parsed(t, changed)) {
		all = append(all, d.String())
	}
	return all
}

func TestADifferenceIsToldInASentence(t *testing.T) {
	for _, row := range []struct {
		text     string
		old, new string
		says     []string
	}{
		{chat, "CHAT-1", "CHAT-2", []string{"catalogue: protocol CHAT-1 here, protocol CHAT-2 there"}},
		{chat, "catalogue chat", "catalogue talk", []string{"catalogue: name chat here, name talk there"}},
		{chat, "states lobby playing over", "states lobby playing done over",
			[]string{"catalogue: states lobby,playing,over here, states lobby,playing,done,over there"}},
		{chat, "states lobby,over", "states lobby",
			[]string{"message Say (id 10): allowed in states lobby,over here, allowed in states lobby there"}},
		{chat, " states lobby,over", "", []string{"message Say (id 10): allowed in states lobby,over here, allowed in any state there"}},
		{arena, "hostids 9", "hostids 17", []string{"catalogue: 9 ids of the host in 4 bits here, 17 ids of the host in 5 bits there"}},
		{arena, "clientids 300", "clientids 299",
			[]string{"catalogue: 300 ids of the client in 9 bits here, 299 ids of the client in 9 bits there"}},

		{chat, "message 10 Say", "message 9 Say", []string{"message Say (id 10): id 10 here, id 9 there"}},
		{chat, "Say from client", "Say from host", []string{"message Say (id 10): from client here, from host there"}},
		{chat, "delivery ordered", "delivery unordered", []string{"message Say (id 10): delivery ordered here, delivery unordered there"}},
		{chat, "channel 63", "channel 6", []string{"message Score (id 11): channel 63 here, channel 6 there"}},
		{chat, "10 Say", "10 Talk", []string{
			"message Say (id 10): from client, delivery ordered here, missing there",
			"message Talk (id 10): missing here, from client, delivery ordered there"}},

		{chat, "max=200", "max=100", []string{"message Say (id 10), field Text: text max=200 here, text max=100 there"}},
		{chat, "  Text text max=200", "  Text text max=200\n  To uint8", []string{"message Say (id 10), field To: missing here, uint8 there"}},
		{chat, "  Text text max=200\n", "", []string{"message Say (id 10), field Text: text max=200 here, missing there"}},
		{chat, "    - int16", "    - int32", []string{"message Score (id 11), field Runs[]: int16 here, int32 there"}},
		{chat, "max=16 if=There", "max=16", []string{
			"message Play (id 200), field At.Deep[][].Name: text max=16 if=There here, text max=16 there"}},
		{chat, "values=-1,1", "values=-1..1", []string{"message Play (id 200), field Side: enum8 values=-1,1 here, enum8 values=-1..1 there"}},
		{arena, "vec3 int=13 frac=9", "vec3 int=13 frac=7", []string{
			"message Spawn (id 0), field Pos: vec3 int=13 frac=9 here, vec3 int=13 frac=7 there"}},
		{arena, "list max=7", "list max=15", []string{"message Spawn (id 0), field Items: list max=7 here, list max=15 there"}},
	} {
		t.Run(row.new, func(t *testing.T) {
			require.Equal(t, row.says, sentences(t, row.text, row.old, row.new))
		})
	}
}

func TestADifferenceIsCutToASentence(t *testing.T) {
	d := Difference{Message: "Say", ID: 1, Field: "Kind", Mine: "enum8 values=0", Theirs: "enum16 values=" + strings.Repeat("0,2,", 1000)}
	require.Contains(t, d.String(), "message Say (id 1), field Kind: enum8 values=0 here, enum16 values=0,2,")
	require.True(t, strings.HasSuffix(d.String(), "… there"))
	require.Less(t, len(d.String()), 300)
}

func TestAFieldOfAnotherKindIsToldOnceAndNotWhatIsInIt(t *testing.T) {
	require.Equal(t, []string{"message Score (id 11), field Runs: list max=300 here, array len=300 there"},
		sentences(t, strings.Replace(chat, "int16", "int32", 1), "list max=300\n    - int32", "array len=300\n    - int16"))
}

func TestAMovedFieldIsToldAlone(t *testing.T) {
	const text = head + "message 1 Hit from client delivery ordered channel 0\n  A bool\n  B bool\n  C bool\n  D bool\n"
	require.Equal(t, []string{"message Hit (id 1), field A: comes first here, comes after D there"},
		sentences(t, text, "  A bool\n", "", "  D bool\n", "  D bool\n  A bool\n"))
	require.Equal(t, []string{"message Hit (id 1), field D: comes after C here, comes after A there"},
		sentences(t, text, "  A bool\n", "  A bool\n  D bool\n", "  D bool\n", ""))
}

func TestAFieldPutInBetweenMovesNoOther(t *testing.T) {
	const text = head + "message 1 Hit from client delivery ordered channel 0\n  A bool\n  B bool\n"
	require.Equal(t, []string{"message Hit (id 1), field New: missing here, uint8 there"}, sentences(t, text, "  A", "  New uint8\n  A"))
}

func TestCodecsAndSidesHaveNamesInDifferences(t *testing.T) {
	require.Equal(t, []string{
		"catalogue: codec bytes here, codec bits there",
		"catalogue: ids of the host in a byte here, 0 ids of the host in 0 bits there",
		"catalogue: ids of the client in a byte here, 7 ids of the client in 3 bits there",
	}, sentences(t, head, "codec bytes", "codec bits hostids 0 clientids 7"))
}

func TestEqualDescriptionsDoNotDiffer(t *testing.T) {
	require.Empty(t, Compare(parsed(t, chat), parsed(t, chat)))
	require.Empty(t, Compare(parsed(t, arena), parsed(t, arena)))
}

func TestTheLongestRiseIsFound(t *testing.T) {
	for _, row := range []struct {
		order []int
		rises []bool
	}{
		{nil, []bool{}},
		{[]int{3}, []bool{true}},
		{[]int{0, 1, 2}, []bool{true, true, true}},
		{[]int{1, 2, 0}, []bool{true, true, false}},
		{[]int{9, 0, 1, 8, 2}, []bool{false, true, true, false, true}},
	} {
		require.Equal(t, row.rises, longestRise(row.order), row.order)
	}
}

func TestThousandsOfMovedFieldsAreComparedInAMoment(t *testing.T) {
	shuffled := func(seed uint64) *Catalogue {
		var b strings.Builder
		b.WriteString(head + "message 1 Hit from client delivery ordered channel 0\n")
		for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(5000) {
			fmt.Fprintf(&b, "  F%d bool\n", i)
		}
		return parsed(t, b.String())
	}
	a := shuffled(1)
	require.NotEmpty(t, Compare(a, shuffled(2)))
	require.Empty(t, Compare(a, a))
}
