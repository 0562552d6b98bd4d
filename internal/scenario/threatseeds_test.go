package scenario

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// threatSeeds name, for each threat, inputs that are played wherever tests run: a seed of a fuzz target as "folder.Target/name", after the source of the threat where
// there is one, or a case of a table as "file: case".
var threatSeeds = map[string][]string{
	"T01": {"udp.FuzzHostDatagrams/luanti-6254-many-small-connects"},
	"T03": {"udp.FuzzHostDatagrams/luanti-10088-acks-and-nothing-else"},
	"T04": {"udp.FuzzHostDatagrams/cve-2024-2169-answers-to-answers"},
	"T05": {"udp.FuzzHostDatagrams/go-raknet-f555846-guessed-cookies", "secure.txt: [65]"},
	"T07": {"udp.FuzzHostDatagrams/rfc-9000-21-public-keys-for-nothing", "secure.txt: [70]"},
	"T08": {"udp.FuzzHostDatagrams/go-raknet-59-counts-of-zero"},
	"T09": {"udp.FuzzHostDatagrams/netcode-a-scan"},
	"T11": {"udp.FuzzHostDatagrams/curl-cve-2026-11352-empty-datagrams", "udp.FuzzHostDatagrams/go-raknet-af42da4-larger-than-any", "malformed.txt: [5]"},
	"T12": {"udp.FuzzHostDatagrams/kcp2k-54-twenty-sorts-of-bad"},

	"T15": {"udp.FuzzClientDatagrams/wolfssl-cve-2020-24585-plain-in-a-session-secure", "udp.FuzzClientDatagrams/wolfssl-cve-2020-24585-plain-in-a-session-base", "secure.txt: [90]"},
	"T16": {"secure.txt: [82]", "secure.FuzzSecure/wireguard-a-number-far-ahead"},
	"T17": {"udp.FuzzClientDatagrams/mirror-3286-injected-goodbyes"},
	"T19": {"udp.FuzzHostDatagrams/garbage-in-the-name-of-a-peer"},
	"T20": {"udp.FuzzClientDatagrams/gns-723c9c4-another-version", "secure.txt: [61]"},
	"T21": {"secure.FuzzSecure/gns-384adb6-a-point-of-low-order", "secure.FuzzSecure/rfc-7748-a-point-of-zeros", "secure.txt: [74]"},
	"T23": {"secure.FuzzSecure/a-token-that-claims-another-key", "secure.txt: [73]"},
	"T24": {"secure.txt: [92]"},
	"T25": {"reliable.FuzzPeerScript/quic-go-cve-2024-22189-control-without-acks", "secure.txt: [94]"},

	"T27": {"reliable.FuzzAcks/srt-3088-an-ack-of-what-was-never-sent", "malformed.txt: [36]"},
	"T28": {"reliable.FuzzAcks/quiche-cve-2025-4820-acks-in-advance"},
	"T29": {"reliable.FuzzAcks/raknet-102-ranges-that-claim-a-lot"},
	"T31": {"reliable.FuzzPeerScript/luanti-8757-one-sequence-two-messages", "malformed.txt: [26]"},
	"T32": {"reliable.FuzzModel/freenet-5276-lost-acks", "malformed.txt: [25]"},
	"T33": {"reliable.FuzzModel/gns-692c40f-sequences-that-go-round", "reliable.FuzzPeerScript/smoltcp-25d4f7c5-sequences-half-way-round", "reliable.FuzzAcks/netcode-7c638bd-acks-across-the-wrap"},
	"T36": {"framing/packet.FuzzPacket/counts-of-what-is-not-there", "reliable.FuzzPeerScript/raklib-fragments-that-never-end", "malformed.txt: [9]"},
	"T37": {"framing/packet.FuzzPacket/luanti-784-packets-in-packets", "secure.txt: [88]"},
	"T40": {"internal/calling.FuzzCalls/godot-27395-each-index-by-each-caller"},
	"T41": {"internal/calling.FuzzCalls/a-method-without-end"},
	"T43": {"udp.FuzzHostDatagrams/enet-joins-and-leaves"},
	"T44": {"udp.FuzzHostDatagrams/netcode-a-ghost-that-joins-again", "secure.txt: [77]"},
	"T45": {"reliable.FuzzPeerScript/gns-280-a-reader-that-does-not-read"},
	"T47": {"reliable.FuzzPeerScript/litenetlib-1da7055-lengths-behind-the-end"},
	"T48": {"sim.FuzzFaultScripts/yojimbo-68dbbd4-clocks-that-jump"},
}

// withoutBytes are the threats that no input makes.
var withoutBytes = map[string]string{
	"T13": "it takes many addresses, not bytes",
	"T39": "it is what the application does in a callback",
}

func TestEveryThreatHasAnInputOfItsName(t *testing.T) {
	targets, used := fuzzTargets(t), map[string]bool{}
	for _, id := range strings.Fields(allThreats) {
		require.NotEqual(t, len(threatSeeds[id]) > 0, withoutBytes[id] != "", id)
		for _, input := range threatSeeds[id] {
			if file, name, ok := strings.Cut(input, ": "); ok {
				text, err := os.ReadFile(filepath.Join("testdata", file))
				require.NoError(t, err)
				require.Contains(t, string(text), "\ncase "+name+" ", id)
				continue
			}
			target, name := path.Dir(input), path.Base(input)
			require.Contains(t, targets, target, id)
			folder, function, _ := strings.Cut(target, ".")
			require.FileExists(t, filepath.Join("..", "..", folder, "testdata", "fuzz", function, name), id)
			require.False(t, used[input], "%s is of two threats", input)
			used[input] = true
		}
	}
}
