package calls

import (
	"context"
	"errors"
	"io"
	"net"
	"net/rpc"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"storj.io/drpc"
	"storj.io/drpc/drpcconn"
	"storj.io/drpc/drpcserver"
)

// listen is a TCP listener on the loopback interface.
func listen(b *testing.B) net.Listener {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

func dial(b *testing.B, l net.Listener) net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// arrived waits until all was told.
func arrived(b *testing.B, told *atomic.Int64, n int64) {
	b.Helper()
	for began := time.Now(); told.Load() < n; time.Sleep(10 * time.Microsecond) {
		if time.Since(began) > 10*time.Second {
			b.Fatalf("%d of %d have arrived", told.Load(), n)
		}
	}
}

// NetEcho is the service of net/rpc.
type NetEcho struct{ told atomic.Int64 }

func (e *NetEcho) Echo(number uint32, same *uint32) error { *same = number; return nil }
func (e *NetEcho) Tell(_ uint32, _ *struct{}) error       { e.told.Add(1); return nil }

func netRPC(b *testing.B) (*rpc.Client, *NetEcho) {
	l, e := listen(b), &NetEcho{}
	server := rpc.NewServer()
	if err := server.Register(e); err != nil {
		b.Fatal(err)
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			server.ServeConn(c)
		}
	}()
	client := rpc.NewClient(dial(b, l))
	b.Cleanup(func() { client.Close() })
	return client, e
}

func netEcho(b *testing.B) {
	client, _ := netRPC(b)
	var number, same uint32
	for b.Loop() {
		number++
		if err := client.Call("NetEcho.Echo", number, &same); err != nil || same != number {
			b.Fatal(same, err)
		}
	}
}

// netTell does not wait for the answers that net/rpc sends anyway.
func netTell(b *testing.B) {
	client, e := netRPC(b)
	done := make(chan *rpc.Call, 64)
	calls, open := int64(0), 0
	for b.Loop() {
		client.Go("NetEcho.Tell", uint32(calls), new(struct{}), done)
		calls++
		for open++; open == cap(done); open-- {
			<-done
		}
	}
	arrived(b, &e.told, calls)
}

// grpcEcho is the service of gRPC, as protoc writes it down.
type grpcEcho struct{ told atomic.Int64 }

var service = grpc.ServiceDesc{
	ServiceName: "Echo", HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Echo", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(wrapperspb.UInt32Value)
		err := decode(in)
		return in, err
	}}},
	Streams: []grpc.StreamDesc{{StreamName: "Tell", ClientStreams: true, Handler: func(srv any, stream grpc.ServerStream) error {
		in := new(wrapperspb.UInt32Value)
		for {
			if err := stream.RecvMsg(in); err != nil {
				return err
			}
			srv.(*grpcEcho).told.Add(1)
		}
	}}},
}

func newGRPC(b *testing.B) (*grpc.ClientConn, *grpcEcho) {
	l, e, server := listen(b), &grpcEcho{}, grpc.NewServer()
	server.RegisterService(&service, e)
	go server.Serve(l)
	b.Cleanup(server.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn, e
}

func grpcCall(b *testing.B) {
	conn, _ := newGRPC(b)
	in, out := new(wrapperspb.UInt32Value), new(wrapperspb.UInt32Value)
	for b.Loop() {
		in.Value++
		if err := conn.Invoke(context.Background(), "/Echo/Echo", in, out); err != nil || out.Value != in.Value {
			b.Fatal(out.Value, err)
		}
	}
}

// grpcTell sends messages of one stream, since each call of gRPC is answered.
func grpcTell(b *testing.B) {
	conn, e := newGRPC(b)
	stream, err := conn.NewStream(context.Background(), &service.Streams[0], "/Echo/Tell")
	if err != nil {
		b.Fatal(err)
	}
	in, calls := new(wrapperspb.UInt32Value), int64(0)
	for b.Loop() {
		in.Value++
		if err := stream.SendMsg(in); err != nil {
			b.Fatal(err)
		}
		calls++
	}
	arrived(b, &e.told, calls)
}

// drpcEcho is the service of DRPC.
type drpcEcho struct{ told atomic.Int64 }

// encoding is that of protobuf.
type encoding struct{}

func (encoding) Marshal(m drpc.Message) ([]byte, error) { return proto.Marshal(m.(proto.Message)) }
func (encoding) Unmarshal(b []byte, m drpc.Message) error {
	return proto.Unmarshal(b, m.(proto.Message))
}

func (e *drpcEcho) HandleRPC(stream drpc.Stream, name string) error {
	in := new(wrapperspb.UInt32Value)
	if name == "/Echo/Echo" {
		if err := stream.MsgRecv(in, encoding{}); err != nil {
			return err
		}
		return stream.MsgSend(in, encoding{})
	}
	for {
		if err := stream.MsgRecv(in, encoding{}); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		e.told.Add(1)
	}
}

func newDRPC(b *testing.B) (*drpcconn.Conn, *drpcEcho) {
	l, e := listen(b), &drpcEcho{}
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	go drpcserver.New(e).Serve(ctx, l)
	conn := drpcconn.New(dial(b, l))
	b.Cleanup(func() { conn.Close() })
	return conn, e
}

func drpcCall(b *testing.B) {
	conn, _ := newDRPC(b)
	in, out := new(wrapperspb.UInt32Value), new(wrapperspb.UInt32Value)
	for b.Loop() {
		in.Value++
		if err := conn.Invoke(context.Background(), "/Echo/Echo", encoding{}, in, out); err != nil || out.Value != in.Value {
			b.Fatal(out.Value, err)
		}
	}
}

// drpcTell sends messages of one stream, which DRPC gathers; they are flushed at the end.
func drpcTell(b *testing.B) {
	conn, e := newDRPC(b)
	stream, err := conn.NewStream(context.Background(), "/Echo/Tell", encoding{})
	if err != nil {
		b.Fatal(err)
	}
	in, calls := new(wrapperspb.UInt32Value), int64(0)
	for b.Loop() {
		in.Value++
		if err := stream.MsgSend(in, encoding{}); err != nil {
			b.Fatal(err)
		}
		calls++
	}
	arrived(b, &e.told, calls)
}
