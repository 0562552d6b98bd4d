package scenario

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allThreats are the numbers of the threats that the transport must withstand; gaps mean nothing.
const allThreats = `
	T01 T03 T04 T05 T07 T08 T09 T11 T12 T13
	T15 T16 T17 T19 T20 T21 T23 T24 T25
	T27 T28 T29 T31 T32 T33 T36 T37 T39 T40 T41 T43 T44 T45 T47 T48`

// threats are all threats, by number. Those before T15 come from strangers, those up to T25 from whoever is between or beside two peers, the others from
// a peer.
var threats = []report{
	// a flood of those who ask to be let in takes places or memory, or keeps players out
	{"T01", []held{here("TestHellosFromEverywhereLeaveNothingBehind", "TestAPlayerJoinsDuringAFloodOfHellos",
		"TestAPlayerJoinsAndPlaysDuringAFloodOnSockets", "TestAConnectFloodIsBoundedCheapAndSoonOver",
		"TestAFloodFromManyAddressesCostsNoMemory", "TestDroppedDatagramsAllocateNothing"), in("secure", "TestAFloodOfHellosLeavesNothingBehind",
		"TestTheOldestUnconfirmedSessionMakesRoom", "TestSessionsThatAreConfirmedMakeRoomFirst"), in("udp", "TestAllAddressesOfOneIPv6NetworkHaveOneShareOfPeers",
		"TestAStrangersHelloIsAnsweredWithoutMemory")}},
	// a host answers a made-up address with more than came from it, then or later
	{"T03", []held{here("TestNoStrangerGetsMoreThanItSends", "TestAnUnconfirmedClientGetsNoMoreThanItAsksFor", "TestAHostThatTalksToEverybodyAmplifiesNothing",
		"TestAPeerThatAcksAtOnceGetsNoMoreThanTheCeiling"), in("secure", "TestNoAnswerIsLargerThanWhatItAnswers"),
		in("reliable", "TestUnconfirmedPeerGetsAtMostItsBudget")}},
	// two hosts answer each other without end
	{"T04", []held{here("TestHostsThatAreToldLiesAboutEachOtherFallSilent", "TestHostsAreNoPeersOfHosts", "TestSecureHostsThatAreToldLiesAboutEachOtherFallSilent",
		"TestResetsOfAHostAreFew"), in("secure", "TestTwoHostsDoNotTalkToEachOther", "TestResetsAreFew")}},
	// a cookie that can be guessed, or used by others
	{"T05", []held{in("secure", "TestACookieIsGoodFor10s", "TestACookieIsForOneClientAtOneAddress", "TestACookieOfTheFutureIsRefused",
		"TestAKeyThatIsTwoGenerationsOldIsGone", "TestAnotherHostsCookieIsRefused", "TestGuessesAreComparedInConstantTime", "TestMadeUpCookiesAreRefused",
		"TestNobodyIsTurnedAwayWhileKeysOfCookiesChange")}},
	// a host is made to compute with public keys
	{"T07", []held{in("secure", "TestBadAuthsCostNoPublicKeys", "TestAnAddressGetsFewExchangesASecond", "TestAHostComputesFewExchangesASecondInAll",
		"TestAnIPv6SiteGetsAShareOfTheExchanges"), here("TestWhoUsesUpTheBudgetOfAnAddressKeepsNobodyElseOut")}},
	// one malformed datagram ends the process
	{"T08", []held{here("TestMalformedAndForgedDatagramsEndAsTheTableSays", "TestMalformedAndForgedSecureDatagramsEndAsTheTableSays"),
		in("framing", "TestMalformedDatagramsEndInTheCounterOfTheTable"), in("secure", "TestEveryDatagramEndsInTheCounterOfTheProtocol"),
		in("udp", "TestWhatOthersSendInASessionIsDroppedAndCounted", "TestWhatIsNoAnswerToItsDialIsDroppedByAClient"),
		in("reliable", "TestSessionEndsByTheRulesOnlyWhateverAPeerSends")}},
	// a host tells strangers that it is there, and how it is
	{"T09", []held{here("TestOnlyAHelloIsAnswered", "TestStrangersGetNoAnswer", "TestArbitraryBytesChangeNothingButTheirCounters"),
		in("udp", "TestAHostThatIsFullSaysSoAtOnce")}},
	// datagrams that are empty or too large stop the reading, or all other work
	{"T11", []held{here("TestAFloodOfEmptyDatagramsDelaysNobody", "TestAPlayerJoinsAndPlaysDuringAFloodOnSockets", "TestEmptyDatagramsDoNotEndTheReading", "TestDatagramsAboveTheLimitAreDroppedWhole",
		"TestReadErrorForALargeDatagramIsThatDatagram")}},
	// what comes in fills the log
	{"T12", []held{here("TestArbitraryBytesChangeNothingButTheirCounters", "TestOnlyAHelloIsAnswered", "TestRepeatedErrorIsLoggedOnceInTenSecondsWithACount"),
		in("udp", "TestWhomThePolicyLeavesOutIsLoggedOnceInTenSeconds")}},
	// addresses that are chosen to meet in a table
	{"T13", []held{here("TestHellosFromEverywhereLeaveNothingBehind", "TestAFloodFromManyAddressesCostsNoMemory"),
		in("internal/rate", "TestSourcesShareBucketsByTheKey")}},

	// what is in plain is taken for a session's
	{"T15", []held{here("TestNothingInPlainReachesASecureSession", "TestArbitraryBytesInTheNameOfASecurePeerChangeNothing"),
		in("udp", "TestPlainDatagramsFromTheAddressOfASecurePeerAreDropped")}},
	// what was recorded is played again
	{"T16", []held{here("TestASessionThatIsPlayedAgainDeliversNothing", "TestPacketsThatGoAstrayAreDropped"), in("secure", "TestAForgedNumberMovesNoWindow",
		"TestASessionRecordedBeforeCannotBePlayedAgain", "TestAnAuthRecordedBeforeDisturbsNoSession"), in("reliable", "TestReplayedSessionDeliversNothing")}},
	// somebody beside the path makes up packets
	{"T17", []held{here("TestForgedPacketsOfASessionChangeNothing", "TestForgedGoodbyesEndNothing", "TestArbitraryBytesInTheNameOfASecurePeerChangeNothing",
		"TestWhoInjectsAnswersDelaysAJoinAndNothingElse", "TestWhoUsesUpTheBudgetOfAnAddressKeepsNobodyElseOut"),
		in("secure", "TestForgedPacketsAreDroppedWithoutAllocating", "TestNobodyElseCanResetASession", "TestNobodyGetsTheResetOfASessionThatIsNotConfirmedYet")}},
	// somebody is thrown out for what others send in its name
	{"T19", []held{here("TestForgedPacketsOfASessionChangeNothing", "TestForgedGoodbyesEndNothing", "TestGarbageInTheNameOfAPlayerDoesNotSlowItDown",
		"TestArbitraryBytesInTheNameOfASecurePeerChangeNothing")}},
	// two sides are made to agree on less than they could
	{"T20", []held{here("TestNobodyHasASessionThatWasEdited", "TestAClientOfTheSecureProtocolNeverFallsBack"), in("secure", "TestWhoeverChangesAHandshakeGetsNoSession",
		"TestTwoSidesThatKnowDifferentThingsHaveNoSession")}},
	// keys that make the secret known
	{"T21", []held{in("secure", "TestPointsOfLowOrderAreRefused"), here("TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}},
	// a token that was stolen, has expired, or is used twice
	{"T23", []held{in("secure", "TestATokenIsForOneClientKey", "TestTokensThatTheHostDoesNotTake", "TestATokenThatNamesNoClientIsKeptByTheFirstThatComesInWithIt",
		"TestATicketIsOfNoUseToOthersOrElsewhereOrLater", "TestTheTableOfUsedTokensIsBounded"), here("TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}},
	// traffic is drawn to an address by packets forwarded from there
	{"T24", []held{here("TestWhoForwardsPacketsFromElsewhereGetsNoTraffic", "TestWhoForwardsPacketsFromTheSameAddressGetsNoMoreThanItsBudget",
		"TestTrafficIsBackARoundTripAfterThePacketThatNobodyForwards", "TestWhoForwardsThePacketsOfAPlayerGetsNothing",
		"TestWhoForwardsEverythingHasTheTrafficWhileItDoes"), in("udp", "TestAPacketThatComesLateFromElsewhereBeginsNoCheck")}},
	// a queue of control frames grows because nothing is acked
	{"T25", []held{in("reliable", "TestStormOfCreditFramesCostsNothing", "TestAPacketWithAChallengeTooManyHasNoEffect",
		"TestPeerThatNeverAcksFillsTheQueueAndNothingElse"), here("TestAStormOfControlFramesThatAcksNothingCostsNoMemory")}},

	// acks of what was never sent, or too early, or of too much
	{"T27", []held{in("reliable", "TestAckOfWhatWasNeverSentEndsTheSession", "TestAcksOfWhatIsNotInFlightChangeNothing", "TestForgedAckDoesNotConfirmAPeer"),
		here("TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}},
	{"T28", []held{in("reliable", "TestAckOfANumberLeftOutEndsTheSession", "TestANumberIsLeftOutInEach512", "TestPeerThatAcksOnlyTheTruthIsNeverAccused"),
		here("TestAPeerThatAcksAtOnceGetsNoMoreThanTheCeiling", "TestAClientThatAcksInAdvanceIsFoundOut")}},
	{"T29", []held{in("reliable", "TestAckRangesLoopOverWhatIsOutstandingOnly")}},
	// one sequence with two messages
	{"T31", []held{in("reliable", "TestFirstCopyOfASequenceWins", "TestPacketThatComesTwiceHasNoEffect")}},
	// an ack that is lost for good
	{"T32", []held{in("reliable", "TestLostAckIsRepairedByAckingDuplicatesHoweverOld", "TestAcksThatAreLostForSecondsDelayNothing")}},
	// numbers that go round
	{"T33", []held{in("reliable", "TestSequencesWrapUnderLossDuplicationAndReordering", "TestSequencesAndNumbersGoRoundUnderLoss"),
		in("secure", "TestNumbersGoOnWhereTheirLowBitsWrap")}},
	// lengths and counts of what is not there
	{"T36", []held{in("reliable", "TestClaimOfManyFragmentsAllocatesLittle", "TestMessageAboveTheLimitEndsTheSession", "TestSetsOfFragmentsAreBoundedAndEnd"),
		in("wire", "TestACountOfWhatIsNotThereTakesNoMemory", "TestAStringThatClaimsMoreThanIsLeftFails"), in("framing", "TestParseAllocatesNothing"),
		in("framing/packet", "TestParsingAllocatesNothing"), in("framing/handshake", "TestParsingAllocatesNothing")}},
	// packets in packets
	{"T37", []held{in("internal/archtest", "TestNothingThatReadsDatagramsCallsItself"), here("TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}},
	// calls from within calls
	{"T39", []held{here("TestEveryCallIsPossibleFromEveryCallback", "TestEveryCallIsPossibleInsideTheGameLoop", "TestCloseFromManyGoroutinesReturns")}},
	// calls that the caller has no right to, and calls without end
	{"T40", []held{in("internal/calling", "TestTheRightsOfEachMethodInEachSituation", "TestEachWayInWhichACallCanEndIsCounted",
		"TestACallOnAnotherChannelOrOfAnotherSideIsNotHandled")}},
	{"T41", []held{in("internal/calling", "TestAFloodRunsNoMoreThanTheRateAndItsBurst", "TestARateOfNTakesNCallsASecondAndNotOneMore",
		"TestAClockThatJumpsBackStopsNobody")}},
	// peer ids run out, or mean two peers
	{"T43", []held{here("TestAPeerIDRestsBeforeItIsGivenAgain"), in("udp", "TestCyclesInVirtualTimeLeaveNothingBehind", "TestSecureCyclesInVirtualTimeLeaveNothingBehind", "TestIDsAreGivenOutLeastRecentlyFreedFirst",
		"TestAnIDIsNotGivenAgainWhileAnEventNamesIt"), in("secure", "TestAnUnconfirmedSessionEndsAndGivesItsPeerIDBack")}},
	// a session of before keeps its player out
	{"T44", []held{here("TestACrashedPlayerComesBackAtOnce"), in("udp", "TestACrashedPlayerComesBackToAFullHost", "TestANewerConnectionOfTheSamePlayerTakesOver",
		"TestWhoIsNotAdmittedTakesNothingOver")}},
	// a reader that does not read
	{"T45", []held{in("reliable", "TestConsumerThatStopsForAMinuteLosesNothingReliable", "TestReaderThatStopsIsToldNothingNewAndLosesNothing",
		"TestUnreadBytesAreBoundedExactly", "TestUnreadLossyMessagesMakeRoomOldestFirst"), here("TestOrderIsKeptNextToABusyPeer")}},
	// bytes of somebody else in a buffer that is used again
	{"T47", []held{in("reliable", "TestNoPoisonEverReachesTheWireOrTheApplication"), here("TestRetainedPayloadsKeepTheirBytesAndOthersAreFoundOut")}},
	// clocks that jump or stand still
	{"T48", []held{in("reliable", "TestClockJumpsAndFreezesDoNoHarm", "TestClockThatRunsBackwardsStandsStill"), in("secure", "TestAClockThatStandsStillOrGoesBackHarmsNothing"),
		here("TestAHostThatDidNotRunReadsBeforeItJudges", "TestAClockThatIsSetDisconnectsNobody", "TestTheOriginOfTheClockMakesNoDifference"),
		in("udp", "TestACalendarThatIsSetEndsNothing")}},
}

func TestEveryThreatIsHeld(t *testing.T) {
	requireEveryRow(t, threats, strings.Fields(allThreats))
}

func TestEveryTestInTheTableOfThreatsExists(t *testing.T) { requireTestsExist(t, threats) }

// A test of this package whose comment names a threat is in the row of that threat.
func TestCommentsAgreeWithTheTableOfThreats(t *testing.T) {
	rows := map[string][]string{}
	for _, r := range threats {
		for _, h := range r.held {
			if h.folder == "internal/scenario" {
				rows[r.id] = append(rows[r.id], h.tests...)
			}
		}
	}
	number := regexp.MustCompile(`\bT\d{2}\b`)
	for name, comment := range testsIn(t, "internal/scenario") {
		for _, id := range number.FindAllString(comment, -1) {
			require.Contains(t, rows[id], name, id)
		}
	}
}
