package calling

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rows has what shows each promise of testdata/rows.txt that is kept while a game runs. What is kept when code is generated is shown in cmd/netgen.
var rows = map[string]func(*testing.T){
	"R008": levelNumberComes, "R009": TestTheWorkedExampleTakesWhatItSays, "R010": objectsAreFoundBeforeArguments,

	"R012": contractsAreRegisteredAtTheStart, "R013": methodsComeWithTheirCode, "R014": methodsAreThoseOfInterfaces, "R015": sidesHaveTheirOwnMethods,
	"R016": codeIsMatchedByName, "R017": TestWhatIsNotCompleteIsLoggedAndTheOthersAreRegistered, "R018": methodsWithoutCodeAreLogged, "R019": valuesAreMadeAtTheFirstCall,
	"R020": codeThatIsNotUsedIsLogged, "R021": oneBadMethodStopsNoOther, "R022": registeringIsTimed, "R023": TestAGeneratedPluginIsRegisteredWhileASessionStands,
	"R024": TestAPluginIsRegisteredLaterByTheSameRules,

	"R025": tablesHaveALengthAndAWidth, "R026": indexesAreTheSameAtBothEnds, "R027": TestAnIndexTakesTheBitsThatCountTheMethods, "R028": methodsKnowWhatTheyAre,
	"R029": onlyMethodsWithARateHaveOne, "R030": TestMethodsAreCountedAndTimed,

	"R031": contractsCarryPolicies, "R032": ratesOfPluginsAreTheirOwn, "R033": TestARateOfNTakesNCallsASecondAndNotOneMore, "R034": methodsAreFoundByName,
	"R035": TestACallOnAnotherChannelOrOfAnotherSideIsNotHandled, "R036": TestTheRightsOfEachMethodInEachSituation, "R037": TestOnlyTheOwnerMayCallWhatIsForTheOwner,

	"R038": callsTravelInTwoMessages, "R039": clientsFindMethodsByIndex, "R040": ratesAreCheckedBeforeCalls, "R041": TestEachWayInWhichACallCanEndIsCounted,
	"R042": clientsAreToldWhoCalls, "R043": theServerIsToldWhoCalls, "R044": theServerItselfChecksOwners, "R045": contextsMayBeLeftOut, "R046": contextsAreNoArguments,
	"R047": netIDsStandBehindTheIndex, "R048": TestTheHeadersAreThoseOfTheSeed, "R049": TestTheHeadersAreThoseOfTheSeed, "R050": objectsOfAnotherKindAreLogged,

	"R051": manyArgumentsKeepTheirOrder, "R052": TestAMethodOfAContractThatIsNotRegisteredIsNotSent, "R053": TestCallsAllocateNothing, "R054": callsWithoutArguments,
	"R055": argumentsAreFilledInByHand, "R056": callsWithArguments, "R057": callsToManyAreEncodedOnce, "R058": callsToManyRunHereToo, "R059": callsToAllRunHereToo,
	"R060": TestACallerChoosesAmongTheModesOfTheContract, "R061": TestCallsAllocateNothing, "R062": callsRunHereOrAreSent, "R063": TestADirectCallHasRunWhenItReturns,
	"R064": TestADirectCallHasRunWhenItReturns, "R065": TestAServerCallsAClientAndAClientAnObjectOfTheServer, "R066": listenServersAreCalledDirect,
	"R067": callsWithArguments, "R068": clientsCallObjects, "R069": TestTheHeadersAreThoseOfTheSeed, "R070": directCallsAreNotEncoded, "R071": TestDirectCallsDoWhatEncodedOnesDo,

	"R072": onlyMethodsWithARateHaveOne, "R073": TestACallThatComesEarlierThanItsRateIsDroppedAndMovesNothing, "R074": ratesComeBeforeArguments,
	"R075": TestACallThatComesEarlierThanItsRateIsDroppedAndMovesNothing, "R076": TestACallThatComesEarlierThanItsRateIsDroppedAndMovesNothing,
	"R077": TestOneWhoFloodsHoldsUpNobody, "R078": TestARateOfNTakesNCallsASecondAndNotOneMore,

	"R079": netIDsHave32Bits, "R080": TestGetIsTypedAndNeverPanics, "R081": TestGetIsTypedAndNeverPanics, "R082": TestIDsAreClaimedOneByOneAndInBlocks, "R083": playersHave17IDs,
	"R084": partsOfAPlayerAreObjects, "R085": TestClearBeginsAgainAtTheFirstPlaceInAnotherGeneration, "R086": TestACallToWhatIsReleasedNeverReachesWhatComesAfterIt,

	"R090": enumsAreRead, "R091": TestPhasesRunWhenTheGameSaysAndInTheOrderOfArrival, "R092": TestPhasesRunWhenTheGameSaysAndInTheOrderOfArrival,
	"R093": TestPhasesRunWhenTheGameSaysAndInTheOrderOfArrival, "R094": storedCallsOwnTheirBytes, "R095": storedCallsAreTimedApart,
	"R096": TestABlockAppearsAtOnceAndInOneOrder,

	"R097": TestCallsAllocateNothing, "R098": callsUseNoReflection, "R099": smallTablesHaveSmallIndexes, "R100": bothTablesAreListed, "R101": TestStaticInterfacesAreBoundOnce,
	"R102": whatIsNotMeasuredCostsNothing,
}

type row struct{ id, title string }

func rowList(t *testing.T) (list []row) {
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		id, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, row{id, title})
	}
	return list
}

func TestRows(t *testing.T) {
	for _, r := range rowList(t) {
		if test := rows[r.id]; test != nil {
			t.Run(r.id, test)
		}
	}
}

// TestEachRowIsShownOnce reads which rows cmd/netgen shows.
func TestEachRowIsShownOnce(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "cmd", "netgen", "rows_test.go"))
	require.NoError(t, err)
	list := rowList(t)
	require.Len(t, list, 102)
	for i, r := range list {
		require.Equal(t, fmt.Sprintf("R%03d", i+1), r.id)
		require.NotEmpty(t, r.title)
		generated := strings.Contains(string(source), `"`+r.id+`": `)
		require.NotEqual(t, generated, rows[r.id] != nil, "%s %s is shown here, or when code is generated", r.id, r.title)
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		require.Regexp(t, `^R(0\d\d|10[0-2])$`, id)
	}
}
