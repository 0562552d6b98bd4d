package rpctest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testcatalogue/bits"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

type (
	mood int8
	spot struct {
		X float32 `net:"fixed,int=8,frac=8"`
		Y float64 `net:"ufixed,int=8,frac=30"`
	}

	// kinds has all that a draft can send.
	kinds struct {
		Flag    bool
		A       uint8
		B       uint16 `net:"bits=10,max=999"`
		C       uint32
		D       uint64 `net:"min=5"`
		E       mood   `net:"bits=5,min=-3,max=3"`
		F       int16
		G       int32 `net:"bits=20"`
		H       int64 `net:"min=-9,max=9"`
		I       float32
		J       float64
		Up      float32 `net:"unorm,bits=8"`
		Lean    float64 `net:"snorm,bits=9"`
		Compass float32 `net:"degrees,bits=12"`
		Phase   float64 `net:"radians,bits=16"`
		At      spot
		Places  [2]spot
		Rows    [2][2]uint8 `net:"bits=3"`
		Text    string
		Short   string `net:"max=20,lenbits=5"`
		Raw     []byte `net:"max=8"`
		Key     [4]byte
	}

	even struct{ N uint8 }
	none struct{}
)

func (e *even) Validate() error {
	if e.N%2 == 1 {
		return errors.New("odd")
	}
	return nil
}

var (
	shapeServer = &rpc.Interface{Name: "ShapeServer", At: msgs.Host, Instance: true}
	shapeClient = &rpc.Interface{Name: "ShapeClient", At: msgs.Client}
)

func largest() kinds {
	top := spot{127.99609375, 255.5}
	return kinds{
		true, 255, 999, math.MaxUint32, math.MaxInt64, 3, math.MaxInt16, 1<<19 - 1, 9, 1.5, -2.5, 1, -1, 270, 1.5, top, [2]spot{top, {-128, 0}}, [2][2]uint8{{7, 6}, {5, 4}},
		strings.Repeat("x", 2048), "Zoë", []byte{1, 2, 3, 4, 5, 6, 7, 8}, [4]byte{9, 8, 7, 6},
	}
}

// TestADraftPassesTheTestsOfContracts holds what is found by reflection against the description, as generated code is.
func TestADraftPassesTheTestsOfContracts(t *testing.T) {
	d := rpc.NewDraft("shapes", "SHAPES-1")
	all := rpc.DefineRequest(d, rpc.Method{Name: "All", Of: shapeServer, Owner: true}, func(*rpc.In, *kinds) (kinds, error) { return kinds{}, nil })
	told := rpc.Define(d, rpc.Method{Name: "Told", Of: shapeClient, Deliveries: []transport.Delivery{transport.Unreliable}, Channel: 3}, func(*rpc.In, *none) error { return nil })
	halved := rpc.Define(d, rpc.Method{Name: "Halved", Of: shapeServer}, func(*rpc.In, *even) error { return nil })
	c, err := d.Contract()
	require.NoError(t, err)
	require.Equal(t, []string{"ShapeClient.Told", "ShapeServer.All", "ShapeServer.Halved"}, []string{c.Methods[0].Name, c.Methods[1].Name, c.Methods[2].Name})
	require.Equal(t, []uint16{0, 0, 1}, []uint16{c.Methods[0].ID, c.Methods[1].ID, c.Methods[2].ID})
	least := kinds{D: 5}
	Run(t, c,
		Sample{Method: 0, Values: told.Values(none{})},
		Sample{Method: 1, Values: all.Values(least)}, Sample{Method: 1, Values: all.Values(largest())},
		Sample{Method: 1, Reply: true, Values: all.Values(largest())},
		Sample{Method: 2, Values: halved.Values(even{4})},
	)
	require.False(t, Sample{Method: 2, Values: halved.Values(even{3})}.Encodes(c))
}

// TestADraftHasTheBitsThatNetgenWouldWrite compares the bytes of a draft with those of a generated contract.
func TestADraftHasTheBitsThatNetgenWouldWrite(t *testing.T) {
	type numbers struct {
		Flag bool
		A    uint8
		B    uint16
		C    uint32
		D    uint64
		E    int8
		F    int16
		G    int32
		H    int64
		I    float32
		J    float64
	}
	d := rpc.NewDraft("bits", "TEST-BITS-2", "lobby", "playing")
	rpc.Define(d, rpc.Method{
		Name: "Numbers", Of: shapeServer, Channel: 15,
		Deliveries: []transport.Delivery{transport.ReliableUnordered, transport.Unreliable, transport.Sequenced, transport.ReliableSequenced, transport.ReliableOrdered},
	}, func(*rpc.In, *numbers) error { return nil })
	c, err := d.Contract()
	require.NoError(t, err)
	_, mine, _ := strings.Cut(c.Catalogue.Description, "\ncall ")
	require.Contains(t, bits.Catalogue.Description, "\ncall "+mine)
}

func TestWhatADraftCannotBeIsToldAtOnce(t *testing.T) {
	d := rpc.NewDraft("a draft", "SHAPES-1")
	_, err := d.Contract()
	require.ErrorContains(t, err, `name "a draft" is not a Go name`)

	type (
		list struct{ A []uint16 }
		word struct {
			A uint8 `net:"bit=3"`
		}
		small  struct{ a uint8 }
		number struct {
			A uint8 `net:"bits=x"`
		}
		fine struct {
			A float32 `net:"degrees,bits=30"`
		}
		wide struct {
			A uint8 `net:"bits=40"`
		}
		lenbits struct {
			A string `net:"lenbits=-1"`
		}
	)
	_ = small{}.a
	d = rpc.NewDraft("shapes", "SHAPES-1")
	define[list](d, "List", shapeServer)
	define[word](d, "Word", shapeServer)
	define[small](d, "Small", shapeServer)
	define[number](d, "Number", shapeServer)
	define[fine](d, "Fine", shapeServer)
	define[uint8](d, "Uint8", shapeServer)
	define[none](d, "NoOf", nil)
	_, err = d.Contract()
	for _, says := range []string{
		"rpc: draft shapes: List: field A of rpctest.list: a draft cannot send []uint16: write a contract for netgen, which can send more",
		`Word: field A of rpctest.word: net:"bit" is not known here: leave it out, or write a contract for netgen, which knows more`,
		"Small: field a of rpctest.small is embedded or not exported: give it a name with a capital",
		`Number: field A of rpctest.number: net:"bits=x": x is no number`,
		"Fine: field A of rpctest.fine: it is finer than a float32: write at most 22 bits, or make it a float64",
		"Uint8: uint8 is no struct: define one with the arguments as its fields",
		"NoOf has no Of: give the Interface that it is a method of",
	} {
		require.ErrorContains(t, err, says)
	}
	for _, bad := range []func(*rpc.Draft){
		func(d *rpc.Draft) { define[wide](d, "Wide", shapeServer) },
		func(d *rpc.Draft) { define[lenbits](d, "Lenbits", shapeServer) },
		func(d *rpc.Draft) { define[none](d, "Twice", shapeServer); define[none](d, "Twice", shapeServer) },
		func(d *rpc.Draft) { rpc.Define[none](d, rpc.Method{Name: "Phase", Of: shapeServer, Phase: 9}, nil) },
		func(d *rpc.Draft) {
			rpc.Define[none](d, rpc.Method{Name: "Channel", Of: shapeServer, Channel: 16}, nil)
		},
		func(d *rpc.Draft) { rpc.Define[none](d, rpc.Method{Name: "Owner", Of: shapeClient, Owner: true}, nil) },
		func(d *rpc.Draft) { rpc.Define[none](d, rpc.Method{Name: "State", Of: shapeServer, States: 1}, nil) },
		func(d *rpc.Draft) {
			define[none](d, "Early", shapeServer)
			_, _ = d.Contract()
			define[none](d, "Late", shapeServer)
		},
	} {
		d := rpc.NewDraft("shapes", "SHAPES-1")
		bad(d)
		c, err := d.Contract()
		require.Error(t, err)
		require.Nil(t, c)
	}
}

func define[A any](d *rpc.Draft, name string, of *rpc.Interface) {
	rpc.Define[A](d, rpc.Method{Name: name, Of: of}, nil)
}
