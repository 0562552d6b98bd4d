package calling

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bits"
	"github.com/gannet-net/gannet/rpc"
)

// shapes notes all that it is called with.
type shapes struct{ *table }

func (s shapes) notesAll(name string, args ...any) {
	s.notes("%s %s", name, fmt.Sprintf("%v", args))
}

func (s shapes) Numbers(flag bool, a uint8, b uint16, c uint32, d uint64, e int8, f int16, g int32, h int64, i float32, j float64) {
	s.notesAll("numbers", flag, a, b, c, d, e, f, g, h, i, j)
}

func (s shapes) Widths(c rpc.ServerCall, one uint8, level uint16, deep int32, big int64, small everything.Small, share float32, coarse everything.Place) error {
	s.notesAll("widths", one, level, deep, big, small, share, coarse)
	return nil
}

func (s shapes) Vectors(at everything.Place, look everything.Normal, ahead everything.Heading, speed everything.Motion, turn everything.Turn, stand everything.Stand,
	paint everything.Paint, glass everything.Glass, id everything.Ident) {
	s.notesAll("vectors", at, look, paint, glass, id)
}

func (s shapes) Texts(given bool, text string, name everything.Name, key []byte, lines []string, raw [3]byte) {
	s.notesAll("texts", given, text, name, key, lines, raw)
}

func (s shapes) Lists(path []everything.Place, latches [3]everything.Latch, rows [2][2]everything.Small, parts []everything.Plain, part everything.Plain,
	orders []everything.Order, order everything.Order) {
	s.notesAll("lists", path, latches, rows, parts, part, orders, order)
}

func (s shapes) Buy(c rpc.ServerCall, order everything.Order, even everything.Even) (everything.Plain, []everything.Order, string, error) {
	return everything.Plain{Turned: true, Angle: 90, Latch: everything.Locked}, []everything.Order{order, {Item: 2}}, fmt.Sprint("even ", even), nil
}

func (s shapes) Wait() error { s.notesAll("wait"); return nil }

func (s shapes) Bounds(level uint8) { s.notesAll("bounds", level) }

func TestEveryKindOfArgumentArrives(t *testing.T) {
	for _, way := range []string{"encoded", "direct", "verified"} {
		t.Run(way, func(t *testing.T) {
			tb := sit(t, 1, unlimited, func(c *rpc.Config) {
				c.Contracts = append(c.Contracts, &everything.Contract)
				c.Verify = way == "verified"
			})
			client := tb.clients[0]
			if way != "encoded" {
				tb.listens()
			}
			require.NoError(t, client.peer.Enter(everything.StateLobby))
			require.NoError(t, client.router.Host().Enter(everything.StateLobby))
			id := tb.claims()
			require.NoError(t, everything.BindShapeServer(tb.server.Calls, id, shapes{tb}))
			require.True(t, tb.server.Objects().Own(id, client.peer))
			ref, to := everything.ShapeRef{ID: id}, client.Server()

			order := everything.Order{Item: 31, Count: 4, Notes: []everything.Name{"a", "Zoë"}}
			plain := everything.Plain{Turned: true, Angle: 45, Latch: everything.Closed}
			require.NoError(t, ref.Numbers(to, true, 1, 2, 3, 1<<63, -5, -6, -7, -1<<63, 1.5, -2.25))
			require.NoError(t, ref.Widths(to, 1, 999, -300000, -9, 31, 1, everything.Place{X: 1.25, Y: -2.5, Z: 3.75}))
			require.NoError(t, ref.Vectors(to, everything.Place{X: 1}, everything.Normal{Z: -1}, everything.Heading{X: 1}, everything.Motion{}, everything.Turn{W: 1}, everything.Stand{W: 1},
				everything.Paint{R: 1, G: 2, B: 3}, everything.Glass{R: 4, G: 5, B: 6, A: 7}, everything.Ident{1, 15: 2}))
			require.NoError(t, ref.Texts(to, true, "text", "name", []byte{1, 2}, []string{"", "line"}, [3]byte{7, 8, 9}))
			require.NoError(t, ref.Lists(to, []everything.Place{{X: 1}, {Y: 2}}, [3]everything.Latch{2, 1, 0}, [2][2]everything.Small{{1, 2}, {3, 4}},
				[]everything.Plain{plain}, plain, []everything.Order{order}, order))
			require.NoError(t, ref.Bounds(to, 200))
			answers := 0
			_, err := ref.Buy(to, order, 8, func(part everything.Plain, left []everything.Order, note string, err error) {
				require.NoError(t, err)
				require.Equal(t, everything.Plain{Turned: true, Angle: 90, Latch: everything.Locked}, part)
				require.Len(t, left, 2)
				require.Equal(t, order, left[0])
				require.Equal(t, "even 8", note)
				answers++
			})
			require.NoError(t, err)
			_, err = ref.Wait(to, func(err error) { require.NoError(t, err); answers++ })
			require.NoError(t, err)
			for range 3 {
				tb.passes(time.Millisecond)
				tb.server.Run(rpc.AfterFixed)
				tb.server.Run(rpc.BeforeRender)
			}
			tb.plays()
			require.Equal(t, 2, answers)
			require.ElementsMatch(t, []string{
				"numbers [true 1 2 3 9223372036854775808 -5 -6 -7 -9223372036854775808 1.5 -2.25]",
				"widths [1 999 -300000 -9 31 1 {1.25 -2.5 3.75}]",
				"vectors [{1 0 0} {0 0 -1} {1 2 3} {4 5 6 7} [1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2]]",
				"texts [true text name [1 2] [ line] [7 8 9]]",
				"lists [[{1 0 0} {0 2 0}] [Locked Closed Open] [[1 2] [3 4]] [{true 45 Closed}] {true 45 Closed} [{31 4 [a Zoë]}] {31 4 [a Zoë]}]",
				"bounds [200]", "wait []",
			}, tb.happened())
			require.Equal(t, "none", tb.server.drops())

			t.Log("and what cannot be is refused where it is called, by its name")
			require.ErrorContains(t, ref.Bounds(to, 201), "argument Level")
			require.ErrorContains(t, ref.Widths(to, 1, 1000, 0, 0, 0, 0, everything.Place{}), "argument Level")
			require.ErrorContains(t, ref.Texts(to, true, string(make([]byte, 21)), "", nil, nil, [3]byte{}), "argument Text")
			_, err = ref.Buy(to, order, 7, nil)
			require.ErrorContains(t, err, "odd")
			_, err = ref.Buy(to, everything.Order{Notes: order.Notes}, 8, nil)
			require.ErrorContains(t, err, "more notes than items")
			tb.plays()
			require.Empty(t, tb.happened())
		})
	}
}
