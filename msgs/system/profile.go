package system

import "github.com/gannet-net/gannet/msgs"

// Profiler is told when a handler or a method that was called begins and ends, by names such as "Server.Authenticate". Handlers do not overlap, but a call is inside
// the handler of its message.
type Profiler interface {
	Begin(name string)
	End(name string)
}

// handler is a row of the table of one side's handlers.
type handler struct {
	name string
	msgs.Handler
}

// on makes a row whose handler is sampled.
func on[T any, P interface {
	*T
	msgs.Message
}](p Profiler, name string, f func(*msgs.In, P)) handler {
	if p == nil {
		return handler{name, msgs.On(f)}
	}
	return handler{name, msgs.On(func(in *msgs.In, m P) {
		p.Begin(name)
		defer p.End(name)
		f(in, m)
	})}
}

// onRaw makes a row for a message whose bytes the handler reads itself.
func onRaw(p Profiler, name string, d msgs.Descriptor, f func(*msgs.In)) handler {
	if p == nil {
		return handler{name, msgs.OnRaw(d, f)}
	}
	return handler{name, msgs.OnRaw(d, func(in *msgs.In) {
		p.Begin(name)
		defer p.End(name)
		f(in)
	})}
}

func plain(rows []handler) (list []msgs.Handler) {
	for _, row := range rows {
		list = append(list, row.Handler)
	}
	return list
}
