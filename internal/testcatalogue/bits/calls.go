package bits

import (
	"errors"

	"github.com/gannet-net/gannet/rpc"
)

// Even is a number that its Validate wants to be even.
type Even uint16

// Validate refuses odd numbers.
func (e Even) Validate() error {
	if e%2 == 1 {
		return errors.New("odd")
	}
	return nil
}

// Order is a struct that no message has.
type Order struct {
	Item  Small
	Count Even
	Notes []Name `net:"max=3"`
}

// Validate refuses orders of more notes than items.
func (o *Order) Validate() error {
	if len(o.Notes) > int(o.Count) {
		return errors.New("more notes than items")
	}
	return nil
}

// ShapeServer has an argument of each shape. The server runs it.
//
//rpc:server target=instance missing=error phase=afterFixed
type ShapeServer interface {
	// Numbers has a parameter of each number.
	//
	//rpc:call from=any delivery=unordered,unreliable,sequenced,reliable-sequenced,ordered channel=15
	Numbers(flag bool, a uint8, b uint16, c uint32, d uint64, e int8, f int16, g int32, h int64, i float32, j float64)

	// Widths has the words of tags above parameters.
	//
	//rpc:call from=owner states=lobby,playing rate=30/m burst=4
	//rpc:arg one bits=1
	//rpc:arg level bits=10 max=999
	//rpc:arg deep bits=20 min=-300000 max=300000
	//rpc:arg big min=-9 max=9
	//rpc:arg share unorm bits=8
	//rpc:arg coarse fixed int=13 frac=2
	Widths(c rpc.ServerCall, one uint8, level uint16, deep int32, big int64, small Small, share float32, coarse Place) error

	// Vectors has all structs that travel as one value.
	//
	//rpc:call from=any ttl=250ms urgent delivery=unreliable
	Vectors(at Place, look Normal, ahead Heading, speed Motion, turn Turn, stand Stand, paint Paint, glass Glass, id Ident)

	// Texts has what begins at byte borders, and what is there only if a parameter before it says so.
	//
	//rpc:call from=any missing=queue wait=1s phase=now
	//rpc:arg text max=20 if=given
	//rpc:arg key max=8
	//rpc:arg lines max=3
	Texts(given bool, text string, name Name, key []byte, lines []string, raw [3]byte)

	// Lists has lists, arrays and structs.
	//
	//rpc:call from=any delivery=ordered phase=beforeRender
	//rpc:arg path max=5
	//rpc:arg parts max=4
	//rpc:arg orders max=2
	Lists(path []Place, latches [3]Latch, rows [2][2]Small, parts []Plain, part Plain, orders []Order, order Order)

	// Buy is answered with all that a request can be answered with.
	//
	//rpc:call from=any deadline=1500ms
	//rpc:arg left max=3
	//rpc:arg note lenbits=5
	Buy(c rpc.ServerCall, order Order, even Even) (part Plain, left []Order, note string, err error)

	// Wait is answered without anything.
	//
	//rpc:call from=any reply
	Wait() error

	// Bounds has nothing but a number that not every value fits into.
	//
	//rpc:call from=any
	//rpc:arg level max=200
	Bounds(level uint8)
}

// NameClient has parameters with the names of what generated code has. Clients run it.
//
//rpc:client target=static
type NameClient interface {
	// NameClient has the name of its interface.
	//
	//rpc:call
	NameClient(c rpc.ClientCall, to, ref, out, args, done, direct uint8)

	// Packages has the names of packages and of what is in them.
	//
	//rpc:call
	Packages(rpc, wire, msgs, transport, time, layout uint8, a, r, w, m, in, err, values, results, target uint8)

	// Types has parameters with the names of types.
	//
	//rpc:call
	//rpc:arg string max=3
	Types(Place Place, uint8 uint8, string string, error bool, nil bool, any bool, toArg uint8)

	// Locals asks, so that there are results with such names.
	//
	//rpc:call
	Locals(done uint8) (out uint8, done2 Place, f uint8, ok bool, r uint8, err error)
}
