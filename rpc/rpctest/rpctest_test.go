package rpctest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testcatalogue/bits"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/msgstest"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// changed is the arena's contract with a change to one of its methods.
func changed(t *testing.T, name string, change func(*rpc.Method)) *suite {
	t.Helper()
	c := &rpc.Contract{Catalogue: arena.Contract.Catalogue, Methods: slices.Clone(arena.Contract.Methods)}
	change(&c.Methods[place(t, name)])
	s, err := newSuite(c)
	require.NoError(t, err)
	return s
}

func place(t *testing.T, name string) int {
	t.Helper()
	i := slices.IndexFunc(arena.Contract.Methods, func(m rpc.Method) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0)
	return i
}

func TestContractsThatAreAsDescribedPass(t *testing.T) {
	for _, c := range []*rpc.Contract{&arena.Contract, &bits.Contract} {
		s, err := newSuite(c)
		require.NoError(t, err)
		require.Empty(t, s.check())
	}
}

func TestEveryDifferenceFromTheDescriptionIsFound(t *testing.T) {
	for says, change := range map[string]func(*rpc.Method){
		"Toggle2, id 3 at host":            func(m *rpc.Method) { m.Name += "2" },
		"id 9 at host":                     func(m *rpc.Method) { m.ID = 9 },
		"at client":                        func(m *rpc.Method) { of := *m.Of; of.At = msgs.Client; m.Of = &of },
		"instance false":                   func(m *rpc.Method) { of := *m.Of; of.Instance = false; m.Of = &of },
		"owner false":                      func(m *rpc.Method) { m.Owner = false },
		"[unreliable]":                     func(m *rpc.Method) { m.Deliveries = []transport.Delivery{transport.Unreliable} },
		"channel 3":                        func(m *rpc.Method) { m.Channel = 3 },
		"states 10":                        func(m *rpc.Method) { m.States = 2 },
		"reply true":                       func(m *rpc.Method) { m.Reply = true },
		"have 67 to 68 bits":               func(m *rpc.Method) { m.Args.MinBits = 67 },
		"have 68 to 69 bits":               func(m *rpc.Method) { m.Args.MaxBits = 69 },
		"are called plain":                 func(m *rpc.Method) { m.Args.Plain = true },
		"cannot be made, encoded":          func(m *rpc.Method) { m.Args.New = nil },
		"cannot be made, encoded or decod": func(m *rpc.Method) { m.Args.Decode = nil },
	} {
		t.Run(says, func(t *testing.T) {
			found := changed(t, "DoorServer.Toggle", change).check()
			require.Len(t, found, 1)
			require.Contains(t, found[0], says)
		})
	}
	found := changed(t, "DoorServer.Price", func(m *rpc.Method) { m.Done, m.Results.MaxBits = nil, 33 }).check()
	require.Equal(t, []string{"DoorServer.Price has a reply, and nothing that takes it", "the results of DoorServer.Price have 32 to 33 bits, but by their description 32 to 32"}, found)

	_, err := newSuite(&rpc.Contract{Catalogue: arena.Contract.Catalogue, Methods: arena.Contract.Methods[1:]})
	n := len(arena.Contract.Methods)
	require.EqualError(t, err, fmt.Sprintf("contract testcontract has %d methods, and its description %d", n-1, n))
	_, err = newSuite(&rpc.Contract{Catalogue: &msgs.Catalogue{Description: "nothing"}})
	require.ErrorContains(t, err, "Description of catalogue")
}

func TestASampleOfAnotherTypeOrMethodIsRefused(t *testing.T) {
	s, err := newSuite(&arena.Contract)
	require.NoError(t, err)
	_, err = s.messages([]Sample{{Method: 0, Values: arena.Contract.Methods[1].Args.New()}})
	require.EqualError(t, err, "sample 0 of LevelClient_LevelNumber is a *testcontract.argsLevelClientNotice, and not a *testcontract.argsLevelClientLevelNumber")
	_, err = s.messages([]Sample{{Method: 0, Reply: true}})
	require.ErrorContains(t, err, "which has no reply")
	_, err = s.messages([]Sample{{Method: 99}})
	require.ErrorContains(t, err, "sample 0 is of method 99")
}

// message is the arguments of a method as the suite has them.
func message(t *testing.T, s *suite, name string) *values {
	t.Helper()
	method := place(t, name)
	list, err := s.messages([]Sample{{Method: method, Values: s.contract.Methods[method].Args.New()}})
	require.NoError(t, err)
	return list[0].(*values)
}

// What is tried as a message behaves like one, or the tests of messages would see nothing.
func TestArgumentsBehaveAsAMessage(t *testing.T) {
	s, err := newSuite(&arena.Contract)
	require.NoError(t, err)
	spawn := message(t, s, "LevelServer.Spawn")
	b, err := spawn.Append([]byte{7})
	require.NoError(t, err)
	require.Equal(t, byte(7), b[0])
	b = b[1:]
	require.NoError(t, spawn.Fresh().Parse(b))
	require.NotSame(t, spawn.Fields(), spawn.Fresh().(msgstest.Wrapper).Fields())
	require.ErrorContains(t, spawn.Parse(b[:1]), "message LevelServer_Spawn")
	require.ErrorAs(t, spawn.Parse(append(b, 0)), new(*msgs.UnreadError))
	require.Error(t, message(t, s, "LevelServer.Hello").Parse(b), "the id of another")

	notice := message(t, s, "LevelClient.Notice")
	notice.of = &rpc.Values{Encode: func(w *wire.BitWriter, _ any) { w.Text("\xff", 64, 11) }}
	b, err = notice.Append([]byte{7})
	require.ErrorContains(t, err, "message LevelClient_Notice, field Text")
	require.Equal(t, []byte{7}, b)
	require.True(t, Sample{Method: place(t, "LevelServer.Spawn"), Values: spawn.Fields()}.Encodes(&arena.Contract))
}

func TestANameThatIsTooLongForAMessageBecomesANumber(t *testing.T) {
	const long = "AnInterfaceWithALongName.AndAMethodWithANameThatIsNotMuchShorterThanThat"
	require.Equal(t, "method3_reply", nameOf(3, long, "_reply"))
	require.Equal(t, "DoorServer_Price_reply", nameOf(3, "DoorServer.Price", "_reply"))
}
