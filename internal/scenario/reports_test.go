package scenario

// report is one report of the field: where it is held, and what of it waits for a part that does not exist yet.
type report struct {
	id    string
	held  []held
	waits string // "" if nothing of it waits
}

// held is tests of one package, by the folder of the package.
type held struct {
	folder string
	tests  []string
}

func in(folder string, tests ...string) held { return held{folder, tests} }

// here are tests of this package.
func here(tests ...string) held { return in("internal/scenario", tests...) }

// What reports wait for.
const (
	packets    = "packets that hold fragments"
	catalogues = "message catalogues"
	typedCalls = "typed calls"
)

// reports are all reports of the field, by number.
var reports = []report{
	{"B01", []held{here("TestVanishedPeersDoNotDelayOthers", "TestDialKeepsAskingUntilAHostListens", "TestRefusalsNeverEndTheReading",
		"TestVanishedSocketsDoNotDisturbAHost", "TestDialToAClosedPortSucceedsOnceAHostListens")}, ""},
	{"B02", []held{here("TestFailedWriteIsOneLostDatagram")}, ""},
	{"B04", []held{here("TestEmptyDatagramsAreCountedAndChangeNothing", "TestEmptyDatagramsKeepNoPeerAlive",
		"TestEmptyDatagramsDoNotEndTheReading", "TestEmptyMessagesAreDeliveredOnceAsLengthZero")}, ""},
	{"B06", []held{here("TestOneReadErrorChangesNothing", "TestPermanentReadErrorEndsEverythingWithItsCause",
		"TestGameLoopOutlivesReadErrorsAndReportsABrokenSocket")}, ""},
	{"B07", []held{here("TestDatagramsAboveTheLimitAreDroppedWhole", "TestReadErrorForALargeDatagramIsThatDatagram")}, ""},
	{"B08", []held{here("TestAnEndpointHasOneAddressOnSocketsOfAllKinds", "TestALinkLocalPeerIsFoundByItsZonedAddress",
		"TestAHostWithTwoFamiliesHasOnePeerForEachEndpoint")}, ""},
	{"B11", []held{here("TestRetainedPayloadsKeepTheirBytesAndOthersAreFoundOut", "TestRetainedPayloadsKeepTheirBytesOverLoopback",
		"TestPayloadsOfHandlersAndOfReceiveKeepTheirBytes")}, ""},
	{"B12", []held{here("TestAPlayerBehindARestlessBoxLosesNothing"), in("udp", "TestAClientGoesOnWhenItMovesToAnotherNetwork",
		"TestAClientGoesOnWhenItsPortChanges")}, ""},
	{"B15", []held{here("TestRepeatedErrorIsLoggedOnceInTenSecondsWithACount", "TestDialThatNobodyAnswersIsReportedOnce")}, ""},
	{"B19", []held{here("TestEveryCallIsPossibleFromEveryCallback", "TestEveryCallIsPossibleInsideTheGameLoop",
		"TestCloseFromManyGoroutinesReturns")}, ""},
	{"B20", []held{here("TestFailedDialsLeaveNothingBehind", "TestADialThatIsGivenUpLeavesNoPeerAtTheHost")}, ""},
	{"B22", []held{here("TestWhatAHostReturnsBelongsToTheCaller")}, ""},
	{"B23", []held{here("TestAHostListensAgainOnItsPortWithoutOldPeers")}, ""},
	{"B24", []held{here("TestUnreliableAboveTheLimitIsAnErrorAndNothingElse")}, ""},
	{"B25", []held{here("TestTheLargestPayloadIsTakenFromTheStartAndForGood")}, ""},
	{"B26", []held{here("TestArbitraryBytesChangeNothingButTheirCounters", "TestMalformedAndForgedDatagramsEndAsTheTableSays",
		"TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}, ""},
	{"B27", []held{here("TestAConnectFloodIsBoundedCheapAndSoonOver", "TestAHostThatTalksToEverybodyAmplifiesNothing",
		"TestAPlayerJoinsDuringAFloodOfHellos")}, ""},
	{"B28", []held{here("TestARepeatedConnectGetsTheSameAcceptAndChangesNothing")}, ""},
	{"B29", []held{here("TestWhatComesAfterTheEndMakesNoSession", "TestDataOfAnEndedSessionIsAnsweredWithAFewDisconnects")}, ""},
	{"B31", []held{here("TestACrashedPlayerComesBackAtOnce"), in("udp", "TestANewerConnectionOfTheSamePlayerTakesOver")}, ""},
	{"B33", []held{here("TestTheEndOfASessionSparesItsSuccessor", "TestATimeOutSparesTheSuccessor", "TestAPeerIDRestsBeforeItIsGivenAgain")}, ""},
	{"B34", []held{here("TestASessionEndsOnceAndWithItsFirstReason")}, ""},
	{"B35", []held{here("TestEveryCauseEndsBothSidesAsDocumented", "TestEveryCauseEndsBothSidesOverLoopback")}, ""},
	{"B36", []held{here("TestAClientThatClosesAndExitsHasSaidGoodbye")}, ""},
	{"B37", []held{here("TestClientsOfAHostThatIsRestartedComeBack"), in("udp", "TestAClientLearnsWithinASecondThatItsHostWasRestarted")}, ""},
	{"B38", []held{here("TestDataThatOvertakesTheAcceptDoesNoHarm", "TestNothingIsLostBeforeTheApplicationLooks")}, ""},
	{"B39", []held{here("TestOnlyTheDialledHostCanAccept")}, ""},
	{"B40", []held{here("TestABlockedHandlerCutsNobodyOff", "TestAReaderThatBlocksDelaysNoOther", "TestAHostThatDidNotRunReadsBeforeItJudges")}, ""},
	{"B41", []held{here("TestPeersWhoseDatagramsWaitSurviveAJumpOfTheClock", "TestPeersSurviveAStopOfTheHostsProcess")}, ""},
	{"B44", []held{in("reliable", "TestClockJumpsAndFreezesDoNoHarm")}, ""},
	{"B46", []held{here("TestOneWayTrafficKeepsEverybodyConnected"), in("reliable", "TestOneWayTrafficKeepsBothSidesConnected")}, ""},
	{"B47", []held{here("TestBothSidesLeaveInOneInstant"), in("reliable", "TestBothSidesEndWithOneEventHoweverTheGoodbyesTravel")}, ""},
	{"B48", []held{here("TestReceiveReturnsWhenThePeerIsGone"), in("reliable", "TestPeerLearnsOfACloseThoughGoodbyesAreLost")}, ""},
	{"B49", []held{here("TestEveryPeerThatStaysGetsEveryBroadcastOnce", "TestAHostClosesWhileItsHandlersBroadcast")}, ""},
	{"B51", []held{here("TestNoSizeMakesADatagramAboveTheLimit")}, packets},
	{"B52", []held{in("wire", "TestStringUpToTheRangeOfItsLengthComesBackWhole", "TestStringAboveTheRangeOfItsLengthIsAnErrorAndWritesNothing")},
		catalogues + ", which have lists"},
	{"B54", []held{here("TestAClientThatComesBackFromItsPortStartsAfresh", "TestAKilledClientThatComesBackFromItsPortStartsAfresh")}, ""},
	{"B55", []held{here("TestAKickAtTheFirstMessageIsNoTimeout")}, ""},
	{"B57", []held{in("reliable", "TestGracefulCloseDeliversEverythingOrSaysHowMuchIsMissing")}, packets},
	{"B58", []held{in("reliable", "TestWhatCameBeforeTheGoodbyeIsReadFirst")}, ""},
	{"B59", []held{here("TestAFullQueueOfOnePeerIsNoWorkForOthers", "TestOrderIsKeptNextToABusyPeer"), in("reliable", "TestPeerThatNeverAcksFillsTheQueueAndNothingElse")}, ""},
	{"B60", []held{in("reliable", "TestLostAckIsRepairedByAckingDuplicatesHoweverOld")}, ""},
	{"B61", []held{in("reliable", "TestReliableTrafficResumesAfterEveryOutage", "TestOutageShorterThanTheTimeoutNeverEndsASession")}, ""},
	{"B64", []held{in("reliable", "TestSequencesWrapUnderLossDuplicationAndReordering")}, packets},
	{"B66", []held{in("reliable", "TestBurstBeyondTheWindowArrivesOnceAndInOrder", "TestWindowIsExactAtItsEdges")}, ""},
	{"B67", []held{in("reliable", "TestNothingIsDeliveredTwice")}, ""},
	{"B69", []held{in("reliable", "TestJitterCostsNoRepairsAndLossOnlyItsOwn")}, ""},
	{"B70", []held{in("reliable", "TestHeldBackMessageIsRepairedByTheTimerAlone", "TestAcksOfWhatIsNotInFlightChangeNothing")}, ""},
	{"B71", []held{in("reliable", "TestDeadlineAdaptsToAPeerThatAcksLate")}, ""},
	{"B72", []held{in("reliable", "TestEstimateIsNotPoisonedByRepairs", "TestAckJustAfterARepairIsNotTakenForATinyRoundTrip")}, ""},
	{"B75", []held{here("TestTheReportedRoundTripIsThatOfTheNetwork", "TestFramesCauseNoRepairs", "TestAFrameOfASecondCausesNoRepairs")}, ""},
	{"B76", []held{in("reliable", "TestOutageShorterThanTheTimeoutNeverEndsASession", "TestHeavyLossForAMinuteEndsNothing")}, ""},
	{"B78", []held{in("reliable", "TestAcksInAdvanceDoNotCount", "TestAcksOfWhatIsNotInFlightChangeNothing")}, ""},
	{"B80", []held{here("TestWhatIsQueuedLeavesBeforeTheGoodbyeAndNothingElseDoes", "TestEveryEndGivesAllBuffersBack")}, packets},
	{"B81", nil, packets},
	{"B83", nil, packets},
	{"B84", nil, packets},
	{"B86", nil, packets},
	{"B88", []held{here("TestAMessageThatIsTooLargeLeavesTheQueueAsItWas")}, ""},
	{"B89", nil, catalogues},
	{"B90", nil, catalogues},
	{"B92", nil, catalogues},
	{"B93", nil, catalogues},
	{"B95", nil, catalogues},
	{"B96", nil, catalogues},
	{"B97", []held{here("TestMalformedAndForgedDatagramsEndAsTheTableSays", "TestMalformedAndForgedSecureDatagramsEndAsTheTableSays")}, catalogues + ", which have hashes and ids"},
	{"B99", nil, catalogues},
	{"B101", nil, catalogues},
	{"B102", nil, typedCalls},
	{"B104", nil, typedCalls},
	{"B105", nil, typedCalls},
	{"B107", nil, typedCalls},
	{"B108", nil, typedCalls},
	{"B109", nil, typedCalls},
	{"B112", []held{in("loopback", "TestLocalPlayerComesAndGoes")}, ""},
	{"B114", []held{in("loopback", "TestHandlersAnswerEachOtherWithoutRecursion", "TestGameLoopsAnswerEachOtherInOrder")}, ""},
	{"B115", []held{in("sim", "TestImpairmentsCombine")}, ""},
	{"B116", []held{in("sim", "TestDelayedDatagramsArriveWhenTimeIsSteppedByHand", "TestJumpOfTenSecondsDeliversInTimeOrder",
		"TestDatagramsToASocketClosedMeanwhileAreCounted", "TestNextIsTheTimeOfTheNextEvent")}, ""},
	{"B118", []held{in("sim", "TestLinkWithoutJitterIsFirstInFirstOut", "TestTiesAreBrokenBySendOrderAcrossLinks",
		"TestKeepOrderMakesJitterWaitInsteadOfReorder", "TestJitterReorders")}, ""},
	{"B119", []held{in("sim", "TestOneSeedIsOneRun", "TestIdleNodesShiftNothing"),
		in("internal/replay", "TestOneSeedIsOneRun", "TestAnIdleNinthPeerShiftsNothingOfTheOthers")}, ""},
	{"B122", []held{in("cmd/udpecho", "TestClientEndsWithoutAHost", "TestClientEndsWhenNothingIsEchoed",
		"TestMistakesInTheArgumentsEndWithTwo", "TestProcessKeepsOutputAndErrorsApart")}, ""},
	{"B124", []held{in("cmd/udpecho", "TestSignalEndsHostAndTellsItsClients", "TestSignalEndsAHostWithoutClients",
		"TestInterruptedClientSaysGoodbyeAndReports", "TestSignalEndsAClientThatIsConnecting", "TestHostPrintsItsAddressFirst",
		"TestHostThatFindsItsPortTakenNamesIt")}, ""},
}
