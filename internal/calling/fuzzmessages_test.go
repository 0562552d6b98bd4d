package calling

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bits"
	"github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/msgs/msgstest"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/rpc/rpctest"
)

// fuzzed are the catalogues of this module, with one message of each type. Those without a contract have no calls.
var fuzzed = []struct {
	catalogue *msgs.Catalogue
	contract  *rpc.Contract
	messages  []msgs.Message
}{
	{&derby.Catalogue, nil, []msgs.Message{
		&derby.Ping{}, &derby.Pong{}, &derby.Hello{}, &derby.Welcome{}, &derby.Refuse{}, &derby.Roster{}, &derby.SetBatter{}, &derby.StartRun{}, &derby.Leave{},
		&derby.RoundStart{}, &derby.TurnStart{}, &derby.PlayFeed{}, &derby.TurnEnd{}, &derby.RoundEnd{}, &derby.ShopReady{}, &derby.ReadyState{},
		&derby.IntroDone{}, &derby.IntroProgress{}, &derby.AtBatBegin{}, &derby.AtBatPose{}, &derby.AtBatPitch{}, &derby.AtBatSwing{}, &derby.AtBatResult{},
	}},
	{&system.Catalogue, nil, []msgs.Message{
		&system.Accepted{}, &system.Admined{}, &system.Authenticate{}, &system.Banned{}, &system.ClientPingRequest{}, &system.ClientPingResponse{},
		&system.ClientThirdPartyAntiCheat{}, &system.DownloadWorkshopFiles{}, &system.GetWorkshopFiles{}, &system.GracefullyDisconnect{},
		&system.HostPingRequest{}, &system.HostPingResponse{}, &system.HostThirdPartyAntiCheat{}, &system.Kicked{}, &system.PlayerConnected{},
		&system.PlayerDisconnected{}, &system.QueuePositionChanged{}, &system.ReadyToConnect{}, &system.Rejected{}, &system.ReplicateConfig{},
		&system.Shutdown{}, &system.Unadmined{}, &system.ValidateAssets{}, &system.Verify{},
	}},
	{&bytes.Catalogue, nil, []msgs.Message{
		&bytes.Scalars{}, &bytes.Bounds{Level: 1, Offset: -5, Big: 10}, &bytes.Enums{Fault: bytes.Crash, Flags: bytes.Low, Only: bytes.Only}, &bytes.Texts{},
		&bytes.Roster{}, &bytes.Result{}, &bytes.Sealed{}, &bytes.Snapshot{}, &bytes.Ready{}, &bytes.Window{}, &bytes.Pose{},
	}},
	{&everything.Catalogue, &everything.Contract, []msgs.Message{
		&everything.Scalars{}, &everything.Widths{}, &everything.Floats{}, &everything.Vectors{Look: everything.Normal{Z: -1}, Ahead: everything.Heading{X: 1}, Turn: everything.Turn{W: 1}, Stand: everything.Stand{W: 1}},
		&everything.Texts{}, &everything.Lists{}, &everything.Doors{}, &everything.Pose{Direction: everything.Normal{Z: -1}}, &everything.Strike{}, &everything.Ready{},
	}},
	{&arena.Catalogue, &arena.Contract, nil},
}

// Each type of a catalogue has its message, or nothing of it is fuzzed.
func TestEveryTypeOfEveryCatalogueIsFuzzed(t *testing.T) {
	for _, c := range fuzzed {
		described, err := c.catalogue.Layout()
		require.NoError(t, err)
		for i := range c.catalogue.Entries {
			e := &c.catalogue.Entries[i]
			raw := len(described.Messages[i].Fields) == 1 && described.Messages[i].Fields[0].Name == "Body"
			have := slices.ContainsFunc(c.messages, func(m msgs.Message) bool { return m.Descriptor().Entry == e })
			require.True(t, have || raw, "%s of %s", e.Name, c.catalogue.Name)
		}
		for _, m := range c.messages {
			_, err := m.Append(nil)
			require.NoError(t, err, "%T", m)
		}
	}
}

// FuzzMessages takes bytes for a message, and for arguments or results of a call, of one of the catalogues. Generated code and description agree on whether they are
// one, and what is one becomes the same bytes again.
func FuzzMessages(f *testing.F) {
	calls := make([][]rpctest.Sample, len(fuzzed))
	for n, c := range fuzzed {
		for _, m := range c.messages {
			addSeeds(f, m, byte(n))
		}
		if c.contract != nil {
			calls[n] = callsOf(c.contract)
			for id := range 2 * len(c.contract.Methods) {
				f.Add(append([]byte{byte(id)}, make([]byte, 40)...), byte(n))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, n byte) {
		c := fuzzed[int(n)%len(fuzzed)]
		if c.contract == nil {
			msgstest.Judge(t, c.catalogue, b, c.messages...)
		} else {
			rpctest.Judge(t, c.contract, b, calls[int(n)%len(fuzzed)], c.messages...)
		}
	})
}

// addSeeds adds a message as it is, and with every field filled.
func addSeeds(f *testing.F, m msgs.Message, n byte) {
	if b, err := m.Append(nil); err == nil {
		f.Add(b, n)
	}
	filled := reflect.New(reflect.TypeOf(m).Elem())
	fill(filled.Elem())
	if b, err := filled.Interface().(msgs.Message).Append(nil); err == nil {
		f.Add(b, n)
	}
}

// fill sets v and all in it to what most fields take.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	case reflect.String:
		v.SetString("Zoë")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		if last := v.NumField() - 1; last > 1 && slices.Contains([]string{"Z", "W"}, v.Type().Field(last).Name) {
			v.Field(last).SetFloat(1) // alone, since a direction or a rotation has length 1
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

// callsOf are arguments of each method of a contract, and results of each that has a reply, where a zero or a filled value can be encoded.
func callsOf(c *rpc.Contract) (samples []rpctest.Sample) {
	for i := range c.Methods {
		for _, s := range []rpctest.Sample{{Method: i}, {Method: i, Reply: true}} {
			of := c.Methods[i].Args
			if s.Reply {
				of = c.Methods[i].Results
			}
			if of.New == nil {
				continue
			}
			if s.Values = of.New(); !s.Encodes(c) {
				fill(reflect.ValueOf(s.Values).Elem())
			}
			if s.Encodes(c) {
				samples = append(samples, s)
			}
		}
	}
	return samples
}

func TestEveryCallOfEveryContractIsFuzzed(t *testing.T) {
	for _, c := range fuzzed {
		if c.contract == nil {
			continue
		}
		have := map[string]bool{}
		for _, s := range callsOf(c.contract) {
			have[c.contract.Methods[s.Method].Name] = true
		}
		for _, m := range c.contract.Methods {
			require.True(t, have[m.Name], m.Name)
		}
	}
}
