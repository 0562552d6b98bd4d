package archtest

// modulePath is the path of the module under test. The tables name our own packages by their folder, and others by the path of
// their module.
const modulePath = "github.com/gannet-net/gannet"

// anything, as an import, stands for every package of ours.
const anything = "*"

// arrows says what the non-test files of each package import beside the standard library, and why. A package gets a row here, and,
// unless it is internal, a place in ARCHITECTURE.md and README.md.
var arrows = map[string]map[string]string{
	"wire":    {},
	"framing": {"wire": "a frame is made of wire's primitives"},
	"framing/handshake": {
		"framing": "datagrams are judged by the counters of the base protocol and more",
		"wire":    "a datagram is made of wire's primitives",
	},
	"framing/packet": {
		"framing": "frames keep the kinds of the base protocol",
		"wire":    "a frame is made of wire's primitives",
	},
	"reliable": {
		"framing":        "the machine takes and gives whole datagrams",
		"framing/packet": "and the packets inside sealed ones",

		"internal/congestion": "how much bulk may be on its way",
		"internal/erasure":    "parities of fragments",
	},
	"secure": {
		"framing":           "a datagram ends in one of its counters",
		"framing/handshake": "the datagrams of the handshake, and the head of sealed ones",
		"internal/rate":     "what strangers may ask for",
		"internal/x25519":   "key pairs, and no other part of crypto/ecdh",
		"wire":              "tokens are made of its primitives",

		"github.com/flynn/noise": "the key exchange; only exchange.go and the key pairs know it",
		"golang.org/x/crypto":    "XChaCha20-Poly1305 of tokens, whose nonces are random and so have to be long",
	},
	"secure/keyfile": {"secure": "files hold its keys"},
	"transport":      {},
	"udp": {
		"internal/inside":   "what tests see of it",
		"transport":         "it is one of the transports",
		"reliable":          "it drives one machine for each peer",
		"secure":            "another that admits strangers, and one that joins",
		"framing/handshake": "a datagram of a session is found by its head",
		"framing":           "admission and tombstones judge datagrams that belong to no machine",
		"internal/deadline": "one heap for the deadlines of all peers",
		"internal/rate":     "what strangers may ask for",
		"golang.org/x/net":  "the address that a datagram was sent to, where it is not Linux",
		"golang.org/x/sys":  "reading without waiting, and control messages, on the bare descriptor",

		"github.com/pion/transport/v3": "deadlines of its net.Conn",
	},
	"loopback": {"transport": "it is one of the transports"},
	"msgs": {
		"internal/rate": "what a peer may send, and have logged",
		"msgs/layout":   "descriptions name what failed and what differs",
		"transport":     "messages come from its connections and go to them",
		"wire":          "the id before a message",
	},
	"msgs/msgstest": {
		"msgs":        "catalogues are what it tests",
		"msgs/layout": "each against its description",
		"wire":        "what refuses a value",
	},
	"msgs/system": {
		"msgs":        "its two sides route their messages by it",
		"msgs/layout": "the codec of the generated messages",
		"transport":   "connections, and the modes of messages",
		"wire":        "the bits of messages and calls",
	},
	"msgs/derby": {
		"internal/rate": "what a player may have sent to all",
		"msgs":          "the lobby is built on a router",
		"msgs/layout":   "generated code names its codec",
		"transport":     "a pipe is made a connection",
		"wire":          "generated code, and the start of a Hello of any protocol",
	},
	"rpc": {
		"internal/rate": "how often a client may call",
		"msgs":          "calls travel in its messages, and its peers make them",
		"msgs/layout":   "descriptions name arguments, and the codec of the carrier",
		"transport":     "the modes of calls",
		"wire":          "the bits of calls",
	},
	"rpc/rpctest": {
		"rpc":           "contracts are what it tests",
		"msgs":          "arguments are tried as messages",
		"msgs/msgstest": "by the suite for those",
		"msgs/layout":   "each contract against its description",
		"transport":     "a description names delivery modes",
		"wire":          "the bits of arguments",
	},
	"msgs/layout": {
		"transport": "a description names delivery modes",
		"wire":      "a message is read by its description",
	},
	"sim":       {},
	"sim/proxy": {"sim": "the same links, in real time"},

	"cmd/netgen": {
		"msgs/layout":        "what it generates code for is a description",
		"transport":          "and a description names delivery modes",
		"golang.org/x/tools": "loading and checking Go packages",
	},
	"cmd/udpecho":    {anything: "a program ties the parts together"},
	"bench":          {anything: "it measures all parts"},
	"bench/relative": {},
	"examples/loop":  {anything: "it shows how the parts are used"},
	"examples/derby": {anything: "it shows how the parts are used"},
	"examples/derby/park": {
		"rpc": "it is a contract", "msgs": "with a catalogue", "msgs/layout": "its codec", "transport": "its delivery modes", "wire": "its bytes",
	},

	"transport/transporttest": {
		"transport":                   "it is the suite that every transport passes",
		"github.com/stretchr/testify": "assertions",
	},
	"internal/congestion": {},
	"internal/deadline":   {},
	"internal/erasure":    {"github.com/klauspost/reedsolomon": "products of bytes in the field of 256, in vectors"},
	"internal/dumbbell": {
		"reliable":            "whole connections run through a bottleneck",
		"framing":             "roles, and what the sealer reports",
		"internal/congestion": "the window of a flow that is not ours",
		"sim":                 "the bottleneck",
	},
	"internal/inside":  {},
	"internal/mutants": {},
	"internal/soak": {
		"udp":               "whole hosts and clients are played",
		"sim":               "on the simulated network",
		"secure":            "keys of hosts and players",
		"msgs":              "routers below calls",
		"rpc":               "both sides call each other",
		"transport":         "their events are held against what was sent",
		"framing":           "drops are counted, and datagrams by their kinds",
		"framing/handshake": "and those of the secure protocol",
		"framing/packet":    "and frames by theirs",
		"internal/inside":   "timers, buffers and ids of an engine",
	},
	"internal/soak/planted": {"internal/soak": "in tests, the faults and invariants that a patch names"},
	"internal/golden":       {"github.com/stretchr/testify": "assertions"},
	"internal/testcatalogue/bits": {
		"rpc": "and of its calls", "msgs": "what generated code is for", "msgs/layout": "its codec", "transport": "its delivery modes", "wire": "its bytes",
	},
	"internal/testcatalogue/bytes": {
		"msgs": "what generated code is for", "msgs/layout": "its codec", "transport": "its delivery modes", "wire": "its bytes",
	},
	"internal/testcontract": {
		"rpc": "what generated code is for", "msgs": "the catalogue of a contract", "msgs/layout": "its codec", "transport": "its delivery modes", "wire": "its bytes",
	},
	"internal/testplugin": {
		"rpc": "what generated code is for", "msgs": "the catalogue of a contract", "msgs/layout": "its codec", "transport": "its delivery modes", "wire": "its bytes",
	},
	"internal/minimalpeer": {"github.com/stretchr/testify": "assertions"},
	"internal/stopwatch":   {"golang.org/x/sys": "the processor time of a thread"},
	"internal/testflag":    {},
	"internal/tally":       {},
	"internal/archtest":    {},
	"internal/listenserver": {
		"udp":       "the host",
		"loopback":  "its local player",
		"transport": "what both look like",
	},
	"internal/newcomer": {},
	"internal/rate":     {},
	"internal/x25519":   {},
	"internal/replay": {
		"udp":       "whole hosts and clients are replayed",
		"transport": "their events are part of the trace",
	},
	"internal/routing": {
		"msgs":      "whole sessions of typed messages are played",
		"transport": "what carries them",
		"udp":       "over sockets and over the simulator",
		"loopback":  "and in one process",

		"internal/testcatalogue/bytes": "the messages",
		"msgs/layout":                  "an older build describes them otherwise",
	},
	"internal/joining": {
		"msgs":        "routes the messages",
		"msgs/system": "whole sessions of system messages are played",
		"transport":   "what carries them",
		"udp":         "over sockets and over the simulator",
		"loopback":    "and in one process",
		"wire":        "the arguments of calls",
	},
	"internal/calling":   {anything: "whole sessions of calls are played"},
	"internal/chaos":     {},
	"internal/derbyrows": {anything: "what is written of the derby is shown, down to the datagram"},
	"internal/scenario":  {anything: "what users report is played on all parts"},
}

// testArrows says what the tests of every package may import beside what the package itself may.
var testArrows = map[string]string{
	"sim":                          "every layer is tried on the simulated network",
	"transport/transporttest":      "the suite that every transport passes",
	"msgs/msgstest":                "the suite that every catalogue passes",
	"rpc/rpctest":                  "the suite that every contract passes",
	"internal/testcontract":        "a contract that no game speaks",
	"internal/testcatalogue/bits":  "the same, with all kinds of values",
	"internal/golden":              "reviewed output in files",
	"internal/minimalpeer":         "a peer that shares no code with the library",
	"internal/mutants":             "seeds of hostile input",
	"internal/testflag":            "longer runs on request",
	"github.com/stretchr/testify":  "assertions",
	"go.uber.org/goleak":           "no goroutine outlives its test",
	"github.com/pion/transport/v3": "a foreign network behind net.PacketConn",
}

// testHelpers are the packages that exist for tests. Nothing else has package testing, or a module that is not in
// runtimeModules, among all that it depends on.
var testHelpers = map[string]string{
	"transport/transporttest": "is called with a *testing.T",
	"msgs/msgstest":           "is called with a *testing.T",
	"rpc/rpctest":             "is called with a *testing.T",
	"internal/golden":         "registers -update",
	"internal/minimalpeer":    "fails the test of whoever sends it nonsense",
	"internal/stopwatch":      "reports to a *testing.B",
	"internal/testflag":       "registers -long",
}

// runtimeModules are the modules that come with the library to a game, directly or through another.
var runtimeModules = map[string]string{
	modulePath:         "the library itself",
	"golang.org/x/net": "control messages",
	"golang.org/x/sys": "system calls",

	"github.com/flynn/noise":           "the key exchange of the secure protocol",
	"github.com/klauspost/cpuid/v2":    "what klauspost/reedsolomon needs",
	"github.com/klauspost/reedsolomon": "parities of fragments",
	"github.com/pion/transport/v3":     "deadlines that move",
	"golang.org/x/crypto":              "the cipher of tokens, and what flynn/noise needs",
}

// programModules are further modules of programs that are built for themselves and never linked into a game.
var programModules = map[string]map[string]string{
	"cmd/netgen": {
		"golang.org/x/tools": "loading and checking Go packages",
		"golang.org/x/mod":   "what x/tools needs",
		"golang.org/x/sync":  "what x/tools needs",
	},
}

// purePackages run as plain functions of their arguments: one seed gives one run, on every processor.
var purePackages = []string{"wire", "framing", "framing/handshake", "framing/packet", "reliable", "secure", "sim", "msgs/layout", "internal/congestion", "internal/erasure", "internal/rate"}

// impureImports are packages of the standard library that a pure package cannot import. A row covers the folders below it as
// well, but for those in pureImports.
var impureImports = map[string]string{
	"net":          "datagrams come in as arguments",
	"os":           "nothing outside the arguments may be seen",
	"syscall":      "nothing outside the arguments may be seen",
	"runtime":      "the processor and the scheduler must not be seen",
	"sync":         "a machine belongs to one caller at a time",
	"context":      "deadlines are arguments and time is virtual",
	"log":          "a log line reads the clock; use the trace",
	"math/rand":    "it may not draw from a source that no seed replays; take math/rand/v2",
	"crypto":       "much of it draws randomness that no seed replays, crypto/ecdh even when it is given a source",
	"hash/maphash": "its hashes differ from process to process",
	"unsafe":       "addresses differ from run to run",
	"testing":      "it is for test files",
}

// pureImports are the exceptions from impureImports.
var pureImports = map[string]string{
	"net":       "for net.ErrClosed, see pureParts",
	"net/netip": "addresses are plain values",

	"crypto/aes":    "a function of its key",
	"crypto/cipher": "functions of their arguments, see pureParts",
	"crypto/hmac":   "a function of its key and input",
	"crypto/sha256": "a function of its input",

	"math/rand/v2": "it can be seeded, see pureParts",
}

// pureParts are all that a pure package may name of these packages.
var pureParts = map[string][]string{
	"net":           {"ErrClosed"},      // what callers of a closed socket ask for
	"crypto/cipher": {"AEAD", "NewGCM"}, // another constructor draws its nonces itself
	"math/rand/v2": {"Rand", "Source", "ChaCha8", "PCG", "Zipf", // the functions draw from a source without a seed
		"New", "NewChaCha8", "NewPCG", "NewZipf"},
}

// impureParts are functions of other packages that a pure package cannot use.
var impureParts = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
}

// floatFree are the pure packages that decide in integers. A float rounds differently on another processor, where a
// multiplication and an addition may be one instruction, and one different bit changes a trace.
var floatFree = []string{"framing", "framing/handshake", "framing/packet", "reliable", "secure", "sim", "internal/congestion", "internal/erasure"}

// floatsAllowed are functions of floatFree packages that may handle floats.
var floatsAllowed = map[string]string{
	"sim.Percent": "turns a written per cent into an integer once; its product is of a power of two and its sum of a quotient, so no processor " +
		"can round them otherwise",
}

// mapOrderAllowed are functions of pure packages that may range over a map, because the order cannot be seen in what they do.
var mapOrderAllowed = map[string]string{}

// unfinished are words that mark work that was put off. They are split here so that this file passes its own check.
var unfinished = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
