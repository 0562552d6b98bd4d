package scenario

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// allMalformed are the numbers of the golden list of what is malformed, forged or not allowed; gaps mean nothing.
var allMalformed = []int{
	1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21,
	22, 24, 25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45, 46,
	48, 49, 50, 52, 53, 54, 56, 57,
	58, 60, 61, 62, 64, 65, 66, 68, 69, 70, 72, 73, 74, 76, 77, 78,
	80, 81, 82, 84, 85, 86, 88, 89, 90, 92, 93, 94, 96,
	97, 98, 100, 101, 102, 104, 105, 106, 108, 109, 110, 112, 113, 114,
	116, 117, 118, 120, 121, 122, 124, 125, 126,
}

// beside are the rows that are no case of a table of datagrams, since it takes a rate, an application, or bytes that only a key makes.
var beside = map[int][]held{
	17: {here("TestAConnectFloodIsBoundedCheapAndSoonOver", "TestConnectsOfOneAddressAreLimited")},
	38: {in("reliable", "TestMalformedAndForgedFramesEndAsTheTableSays", "TestEstimateIsNotPoisonedByRepairs")},
	41: {here("TestAStormOfControlFramesThatAcksNothingCostsNoMemory")},
	78: {in("secure", "TestEveryDatagramEndsInTheCounterOfTheProtocol")}, // the padding is under the protection of message 1

	97:  {in("msgs", "TestUnknownIDsAreCountedAndIgnored")},
	98:  {in("msgs/derby", "TestMessages"), in("wire", "TestAStringThatClaimsMoreThanIsLeftFails")},
	100: {in("msgs/derby", "TestMessages"), in("wire", "TestABoolIsReadFromZeroAndOneOnly")},
	101: {in("msgs/derby", "TestMessages"), in("wire", "TestAFloatThatIsNotFiniteIsNotRead")},
	102: {in("msgs/derby", "TestMessages"), in("wire", "TestBrokenUTF8IsNeitherWrittenNorRead"), in("internal/derbyrows", "TestTextThatIsNoneIsNotRelayed")},
	104: {in("msgs/derby", "TestMessages"), in("msgs/system", "TestMessages"), in("wire", "TestEveryProperPrefixOfAValueFails")},
	105: {in("msgs", "TestEachMessageEndsInTheFirstCheckThatItFails")},
	106: {in("msgs", "TestAMessageInAnotherStateIsDroppedBeforeItIsDecoded")},
	108: {in("msgs", "TestEachMessageEndsInTheFirstCheckThatItFails")},
	109: {in("internal/derbyrows", "TestRows")}, // N057
	110: {in("internal/derbyrows", "TestRows")}, // N059
	112: {in("msgs/derby", "TestMessages"), in("internal/derbyrows", "TestDecoysAreSixteenUnlessTheLobbySaysOtherwise")},
	113: {in("internal/derbyrows", "TestRows")}, // N051 and N058: the host believes its own count alone
	114: {in("msgs", "TestTenMalformedMessagesAreToleratedAndTheEleventhIsAbuse", "TestAPeerThatProvesItsMessagesIsKickedForAbuse",
		"TestAPeerWhoseMessagesMayBeForgedIsNeverKicked")},

	116: {in("internal/calling", "TestEachWayInWhichACallCanEndIsCounted")},
	117: {in("internal/calling", "TestACallOnAnotherChannelOrOfAnotherSideIsNotHandled")},
	118: {in("internal/calling", "TestTheRightsOfEachMethodInEachSituation")},
	120: {in("internal/calling", "TestEachWayInWhichACallCanEndIsCounted")},
	121: {in("internal/calling", "TestARateOfNTakesNCallsASecondAndNotOneMore")},
	122: {in("internal/calling", "TestEachWayInWhichACallCanEndIsCounted")},
	124: {in("internal/calling", "TestAPanicOfTheFunctionOfARequestIsSurvived", "TestAPanicInADirectCallIsSurvived"), in("msgs", "TestOneBadMessageHoldsUpNoOther")},
	125: {here("TestEveryCallIsPossibleFromEveryCallback"), in("internal/calling", "TestWhatWasTooDeepRunsAlthoughTheOutermostPanics")},
	126: {in("internal/calling", "TestTheQueueOfAPhaseDropsTheOldest")},
}

// Each row of the golden list is a case of a table that is played on hosts and clients, or held by tests that need more than datagrams, and not both.
func TestTheGoldenListIsComplete(t *testing.T) {
	played := map[int]bool{}
	for _, file := range []string{"testdata/malformed.txt", "testdata/secure.txt"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`(?m)^case \[(\d+)\]`).FindAllSubmatch(text, -1) {
			n, err := strconv.Atoi(string(name[1]))
			require.NoError(t, err)
			require.Contains(t, allMalformed, n)
			played[n] = true
		}
	}
	var table []report
	for _, n := range allMalformed {
		require.NotEqual(t, played[n], len(beside[n]) > 0, "row %d is held in no way, or in two", n)
		table = append(table, report{strconv.Itoa(n), beside[n]})
	}
	requireTestsExist(t, table)
}
