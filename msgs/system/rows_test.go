package system_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rows tests each behaviour of the system messages. testdata/rows.txt says in words what they are.
var rows = map[string]func(*testing.T){
	"M001": legacyReliably, "M002": legacyLossily, "M003": hostPings, "M004": hostAnswers, "M005": hostAnnouncesItsEnd,
	"M006": playerComes, "M007": playerGoes, "M008": hostListsFiles, "M009": hostAsksToAuthenticate, "M010": hostAccepts,
	"M011": hostRejects, "M012": hostBans, "M013": hostKicks, "M014": hostGivesRights, "M015": hostTakesRights,
	"M016": hostGuards, "M017": hostTellsPlace, "M018": hostCalls, "M019": hostConfigures,
	"M020": clientConfirmsFiles, "M021": clientAsksForPlace, "M022": clientAuthenticates, "M023": clientGuards, "M024": clientPings,
	"M025": clientAnswers, "M026": clientCalls, "M027": clientReportsAssets, "M028": clientSaysGoodbye, "M029": idsAreFirst,
	"M030": sendToOne, "M031": sendToMany, "M032": sendToServer, "M033": sendWithoutConnection, "M034": sendErrorsAreLogged,
	"M035": sendingNests, "M036": directionsAreKept,
	"M037": readersEndWhereBytesEnd, "M038": unknownIDAtServer, "M039": dispatchByID, "M040": callsReadInPart, "M041": panicAtServer,
	"M042": unknownIDAtClient, "M043": legacyIsHandedOn, "M044": packetTimeComesFirst, "M045": panicAtClient,
	"M046": tablesAreFull, "M047": numberOfHandlers, "M048": missingHandlersAreLogged, "M049": gatedMessages,
	"M050": pingsEverySecond, "M051": answersEcho, "M052": roundTrip, "M053": pingsBothWays, "M054": silentServer, "M055": silentClient, "M056": stall,
	"M057": configurationIsReplaced, "M058": configurationGroups, "M059": assetsAreCompared, "M060": acceptedTellsAll, "M061": reasonsAreTold,
	"M062": queueIsTold, "M063": rightsComeAndGo, "M064": goodbyeFreesAtOnce, "M065": shutdownIsAnnounced, "M066": filesAreConfirmed,
	"M067": playersComeAndGo, "M068": authentication, "M069": readyAndVerify,
	"M070": reliableMessages, "M071": lossyMessages,
	"M072": filesInPieces, "M073": legacyChunks, "M074": wholeMessages, "M075": streams,
	"M076": noBandwidthByType, "M077": callLimits, "M078": movementYields, "M079": transportSettings, "M080": methodsAreSampled, "M081": callsNeedAPlayer,
	"M082": badPacketsEnd, "M083": silenceEnds,
	"M084": sidesShareNothing, "M085": reliableOrder, "M086": lateMessages, "M087": noOrderBetweenModes,
	"M088": trafficIsReadable, "M089": trafficBeginsAnew, "M090": trafficIsTheTransports,
	"M091": alignment, "M092": legacyReader, "M093": positions, "M094": nineSteps, "M095": shutdownFlow,
	"M096": handlersAreSampled, "M097": badMessagesAreLogged, "M098": logSwitches, "M099": unreadIsAWarning, "M100": nothingIsCompressed,
}

func TestRows(t *testing.T) {
	for _, row := range rowList(t) {
		t.Run(row.id, func(t *testing.T) {
			test := rows[row.id]
			require.NotNil(t, test, "no test holds that %s", row.title)
			test(t)
		})
	}
}

type row struct{ id, title string }

// rowList is testdata/rows.txt.
func rowList(t *testing.T) (list []row) {
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		id, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, row{id, title})
	}
	return list
}

func TestEachRowHasATestAndEachTestARow(t *testing.T) {
	list := rowList(t)
	require.Len(t, list, 100)
	require.Len(t, rows, 100)
	for i, row := range list {
		require.Equal(t, "M"+padded(i+1), row.id)
		require.NotEmpty(t, row.title)
		require.NotNil(t, rows[row.id], row.id)
	}
}

func padded(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}
