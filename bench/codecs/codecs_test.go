package codecs

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	pb "google.golang.org/protobuf/proto"

	"github.com/gannet-net/gannet/bench/codecs/aligned"
	"github.com/gannet-net/gannet/bench/codecs/msgpack"
	"github.com/gannet-net/gannet/bench/codecs/packed"
	"github.com/gannet-net/gannet/bench/codecs/proto"
)

// codec is one way to carry one message. decode decodes into the same memory each time, as far as the library can.
type codec struct {
	name   string
	encode func(b []byte) []byte
	decode func(b []byte)
	// same requires of what was decoded last that it is the sample.
	same func(t *testing.T)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) { must(0, err) }

// gannet is a message of ours.
type gannet interface {
	Append(b []byte) ([]byte, error)
	Parse(b []byte) error
}

func ofGannet(name string, sample, into gannet, same func(t *testing.T)) codec {
	return codec{name,
		func(b []byte) []byte { return must(sample.Append(b)) },
		func(b []byte) { check(into.Parse(b)) },
		same}
}

func ofJSON[T any](sample, into *T) codec {
	return codec{"json",
		func(b []byte) []byte { return append(b, must(json.Marshal(sample))...) },
		func(b []byte) { check(json.Unmarshal(b, into)) },
		func(t *testing.T) { require.Equal(t, sample, into) }}
}

// ofGob makes each message a stream of its own, types included: a datagram that was lost must not take the types of others along.
func ofGob[T any](sample, into *T) codec {
	var out bytes.Buffer
	return codec{"gob",
		func(b []byte) []byte {
			out.Reset()
			check(gob.NewEncoder(&out).Encode(sample))
			return append(b, out.Bytes()...)
		},
		func(b []byte) {
			*into = *new(T) // gob leaves out zeros, and would leave what was there
			check(gob.NewDecoder(bytes.NewReader(b)).Decode(into))
		},
		func(t *testing.T) { require.Equal(t, sample, into) }}
}

func ofProto(sample, into pb.Message) codec {
	return codec{"protobuf",
		func(b []byte) []byte { return must(pb.MarshalOptions{}.MarshalAppend(b, sample)) },
		func(b []byte) { check(pb.Unmarshal(b, into)) },
		func(t *testing.T) { require.True(t, pb.Equal(sample, into)) }}
}

// packer is a message that msgp wrote code for.
type packer interface {
	MarshalMsg(b []byte) ([]byte, error)
	UnmarshalMsg(b []byte) ([]byte, error)
}

func ofMsgpack(sample, into packer) codec {
	return codec{"msgpack",
		func(b []byte) []byte { return must(sample.MarshalMsg(b)) },
		func(b []byte) { must(into.UnmarshalMsg(b)) },
		func(t *testing.T) { require.Equal(t, sample, into) }}
}

func poses() []codec {
	sample := &aligned.Pose{T: 71.25, Aim: aligned.Vec2{X: 0.25, Y: -0.5}, Hands: aligned.Vec3{X: 12.5, Y: 1.25, Z: -3.75},
		Direction: aligned.Vec3{X: 0.6, Y: 0.8}, Twist: 1.5}
	intoAligned := new(aligned.Pose)
	bits := &packed.Pose{T: sample.T, Aim: packed.Vec2(sample.Aim), Hands: packed.Vec3(sample.Hands), Direction: packed.Direction(sample.Direction), Twist: sample.Twist}
	intoPacked := new(packed.Pose)
	return []codec{
		ofGannet("gannet bytes", sample, intoAligned, func(t *testing.T) { require.Equal(t, sample, intoAligned) }),
		ofGannet("gannet bits", bits, intoPacked, func(t *testing.T) { require.InDelta(t, bits.Hands.X, intoPacked.Hands.X, 1.0/128) }),
		ofProto(&proto.Pose{T: sample.T, Aim: proto2(sample.Aim), Hands: proto3(sample.Hands), Direction: proto3(sample.Direction), Twist: sample.Twist}, new(proto.Pose)),
		ofMsgpack(&msgpack.Pose{T: sample.T, Aim: msgpack.Vec2(sample.Aim), Hands: msgpack.Vec3(sample.Hands), Direction: msgpack.Vec3(sample.Direction),
			Twist: sample.Twist}, new(msgpack.Pose)),
		ofJSON(sample, new(aligned.Pose)),
		ofGob(sample, new(aligned.Pose)),
	}
}

func results() []codec {
	sample := &aligned.Result{At: 71.25, Player: 3, Name: "Wilhelmina 13", Outcome: 2, Score: -4321, Streak: 17, Green: true, Speed: 41.5, Launch: 27.25, Spray: -12.75,
		Zone: 9, Aim: aligned.Vec2{X: 0.25, Y: -0.5}, Ball: aligned.Vec3{X: 12.5, Y: 1.25, Z: -3.75}, Contact: true, Direction: aligned.Vec3{X: 0.6, Y: 0.8}, Distance: 123.5,
		Hits: []uint16{1, 2, 3, 500, 501, 502, 60000, 7}}
	intoAligned := new(aligned.Result)
	bits := &packed.Result{At: sample.At, Player: sample.Player, Name: sample.Name, Outcome: sample.Outcome, Score: sample.Score, Streak: sample.Streak, Green: sample.Green,
		Speed: sample.Speed, Launch: sample.Launch, Spray: sample.Spray, Zone: sample.Zone, Aim: packed.Vec2(sample.Aim), Ball: packed.Vec3(sample.Ball), Contact: sample.Contact,
		Direction: packed.Direction(sample.Direction), Distance: sample.Distance, Hits: sample.Hits}
	intoPacked := new(packed.Result)
	hits := make([]uint32, len(sample.Hits))
	for i, h := range sample.Hits {
		hits[i] = uint32(h)
	}
	return []codec{
		ofGannet("gannet bytes", sample, intoAligned, func(t *testing.T) { require.Equal(t, sample, intoAligned) }),
		ofGannet("gannet bits", bits, intoPacked, func(t *testing.T) {
			require.Equal(t, bits.Hits, intoPacked.Hits)
			require.Equal(t, bits.Name, intoPacked.Name)
			require.InDelta(t, bits.Distance, intoPacked.Distance, 1.0/8)
		}),
		ofProto(&proto.Result{At: sample.At, Player: uint32(sample.Player), Name: sample.Name, Outcome: uint32(sample.Outcome), Score: sample.Score, Streak: uint32(sample.Streak),
			Green: sample.Green, Speed: sample.Speed, Launch: sample.Launch, Spray: sample.Spray, Zone: uint32(sample.Zone), Aim: proto2(sample.Aim), Ball: proto3(sample.Ball),
			Contact: sample.Contact, Direction: proto3(sample.Direction), Distance: sample.Distance, Hits: hits}, new(proto.Result)),
		ofMsgpack(&msgpack.Result{At: sample.At, Player: sample.Player, Name: sample.Name, Outcome: sample.Outcome, Score: sample.Score, Streak: sample.Streak, Green: sample.Green,
			Speed: sample.Speed, Launch: sample.Launch, Spray: sample.Spray, Zone: sample.Zone, Aim: msgpack.Vec2(sample.Aim), Ball: msgpack.Vec3(sample.Ball), Contact: sample.Contact,
			Direction: msgpack.Vec3(sample.Direction), Distance: sample.Distance, Hits: sample.Hits}, new(msgpack.Result)),
		ofJSON(sample, new(aligned.Result)),
		ofGob(sample, new(aligned.Result)),
	}
}

func proto2(v aligned.Vec2) *proto.Vec2 { return &proto.Vec2{X: v.X, Y: v.Y} }
func proto3(v aligned.Vec3) *proto.Vec3 { return &proto.Vec3{X: v.X, Y: v.Y, Z: v.Z} }

func messages() map[string][]codec { return map[string][]codec{"pose": poses(), "result": results()} }

func TestEachCodecBringsTheSampleBack(t *testing.T) {
	for message, codecs := range messages() {
		for _, c := range codecs {
			t.Run(message+"/"+c.name, func(t *testing.T) {
				c.decode(c.encode(nil))
				c.same(t)
			})
		}
	}
}

func TestTheMessagesHaveTheSizesThatTheComparisonIsAbout(t *testing.T) {
	require.Len(t, poses()[0].encode(nil), 1+40)
	require.Len(t, results()[0].encode(nil), 100)
}

func BenchmarkEncode(b *testing.B) {
	run(b, func(b *testing.B, c codec) {
		buf := c.encode(nil)
		for b.Loop() {
			buf = c.encode(buf[:0])
		}
		b.ReportMetric(float64(len(buf)), "B/message")
	})
}

func BenchmarkDecode(b *testing.B) {
	run(b, func(b *testing.B, c codec) {
		buf := c.encode(nil)
		c.decode(buf) // what can be reused is there from now on
		for b.Loop() {
			c.decode(buf)
		}
	})
}

func run(b *testing.B, measure func(*testing.B, codec)) {
	for _, m := range []struct {
		name   string
		codecs []codec
	}{{"pose", poses()}, {"result", results()}} {
		for _, c := range m.codecs {
			b.Run(m.name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				measure(b, c)
			})
		}
	}
}
