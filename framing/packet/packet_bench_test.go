package packet

import "testing"

// The benchmarks report the time of one frame, payload copied where one is built.

func BenchmarkParse(b *testing.B) {
	for _, bench := range benchPackets() {
		b.Run(bench.name, func(b *testing.B) {
			var p Parser
			var f Frame
			b.ReportAllocs()
			frames := 0
			for b.Loop() {
				p.Reset(bench.packet)
				for p.Next(&f) {
					frames++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, bench := range benchPackets() {
		b.Run(bench.name, func(b *testing.B) {
			frames := parseAll(b, bench.packet)
			buf := make([]byte, 0, MaxPacket)
			var w Builder
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(buf, MaxPacket)
				for i := range frames {
					appendFrame(&w, &frames[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/frame")
		})
	}
}

type benchPacket struct {
	name   string
	packet []byte
}

// benchPackets returns packets as a game sends them.
func benchPackets() []benchPacket {
	state, event, part := repeat(41, 's'), repeat(41, 'e'), repeat(1024, 'p')
	ack := Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32, Largest: 258, Bitmap: 0xFFFF_FF7F}}
	unreliable := Frame{Kind: KindUnreliable, Unreliable: Unreliable{Payload: state}}
	sequenced := Frame{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 3, Sequenced: true, Seq: 7, Payload: state}}
	reliable := func(channel uint8, seq uint16) Frame {
		return Frame{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(channel, Ordered), Seq: seq, First: true, Last: true, Payload: event}}
	}
	fragment := Frame{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(9, Unordered), Seq: 7, First: true, Payload: part}}
	return []benchPacket{
		{"unreliable", build(unreliable)},
		{"reliable", build(reliable(0, 7))},
		{"ack", build(ack)},
		{"fragment behind ack", build(ack, fragment)},
		{"10 unreliable", build(many(10, func(int) Frame { return unreliable })...)},
		{"10 sequenced", build(many(10, func(int) Frame { return sequenced })...)},
		{"10 reliable of a channel", build(many(10, func(i int) Frame { return reliable(0, uint16(i)) })...)},
		{"10 reliable of two channels", build(many(10, func(i int) Frame { return reliable(1+uint8(i%2), uint16(i)) })...)},
		{"128 heartbeats", build(many(MaxFrames, func(int) Frame { return Frame{Kind: KindHeartbeat} })...)},
	}
}

func many(n int, frame func(i int) Frame) []Frame {
	var frames []Frame
	for i := range n {
		frames = append(frames, frame(i))
	}
	return frames
}
