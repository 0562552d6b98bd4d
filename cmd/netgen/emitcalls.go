package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// callFormName is the constant of package rpc that generated code refers to, as formName is that of package msgs.
const callFormName = "IfUndefinedRunGoGenerate1"

// emitCalls writes zrpc.go.
func emitCalls(c *catalogue) ([]byte, error) {
	g := &printer{catalogue: c, imports: map[string]bool{root + "rpc": true, root + "wire": true, root + "transport": true}}
	g.p("// This file needs the library that it was generated for.")
	g.p("const _ = rpc.%s", callFormName)
	g.contractVar()
	for _, f := range c.ifaces {
		g.iface(f)
	}
	return g.source()
}

// contractVar prints the contract as static data.
func (g *printer) contractVar() {
	g.p("\n// Contract is the calls of this package, protocol %s.", g.Protocol)
	g.p("var Contract = rpc.Contract{Catalogue: &Catalogue, Methods: []rpc.Method{")
	for _, m := range g.methods {
		g.methodRow(m)
	}
	g.p("}}")
	g.p("\n// Places in Contract.Methods.\nconst (")
	for i, m := range g.methods {
		if i == 0 {
			g.p("method%s = iota", m.id())
		} else {
			g.p("method%s", m.id())
		}
	}
	g.p(")")
}

func (g *printer) methodRow(m *method) {
	l, c := &m.layout, &m.call
	g.p("{\nID: %d, Name: %q, Of: &interface%s,", l.ID, l.Name, m.of.name)
	var modes []string
	for _, d := range l.Deliveries {
		modes = append(modes, "transport."+deliveryNames[d])
	}
	line := "Deliveries: []transport.Delivery{" + strings.Join(modes, ", ") + "},"
	add := func(is bool, format string, args ...any) {
		if is {
			line += fmt.Sprintf(" "+format+",", args...)
		}
	}
	add(l.Owner, "Owner: true")
	add(l.Channel > 0, "Channel: %d", l.Channel)
	add(l.States > 0, "States: %#b", l.States)
	add(c.ttl > 0, "TTL: %s", g.duration(c.ttl))
	add(c.urgent, "Urgent: true")
	add(c.rate > 0, "Rate: rpc.Rate{Count: %d, Per: %s, Burst: %d}", c.rate, g.duration(c.per), c.burst)
	add(c.missing != "Discard", "Missing: rpc.%s", c.missing)
	add(c.wait > 0, "Wait: %s", g.duration(c.wait))
	add(c.phase != "Now", "Phase: rpc.%s", c.phase)
	g.p("%s", line)
	g.p("Args: rpc.Values{%s},", g.valuesOf(m.args, l.Fields))
	g.p("Call: call%s,", m.id())
	if l.Reply {
		g.p("Reply: true, Deadline: %s,", g.duration(c.deadline))
		g.p("Results: rpc.Values{%s},", g.valuesOf(m.results, l.Results))
		g.p("Done: done%s,", m.id())
	}
	g.p("},")
}

func (g *printer) valuesOf(s *structType, fields []layout.Field) string {
	least, most := g.CallSizes(fields)
	plain := ""
	if isPlain(fields) && !s.asksValidate() {
		plain = " Plain: true,"
	}
	return fmt.Sprintf("MinBits: %d, MaxBits: %d,%s New: func() any { return new(%s) }, Encode: encode%s, Decode: decode%s", least, most, plain, s.name, exported(s.name), exported(s.name))
}

// isPlain reports whether every value of the fields can be encoded.
func isPlain(fields []layout.Field) bool {
	for _, f := range fields {
		switch f.Kind {
		case layout.KindBool, layout.KindU8, layout.KindU16, layout.KindU32, layout.KindU64, layout.KindI8, layout.KindI16, layout.KindI32, layout.KindI64,
			layout.KindRGB, layout.KindRGBA, layout.KindGUID, layout.KindStruct, layout.KindArray:
			if f.Ranged || !isPlain(f.Fields) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// iface prints what belongs to one interface: what binds it, what calls it, and what is called when a call comes in.
func (g *printer) iface(f *iface) {
	side := map[layout.Side]string{layout.Host: "msgs.Host", layout.Client: "msgs.Client"}[f.at]
	g.use(root + "msgs")
	g.p("\nvar interface%s = rpc.Interface{Name: %q, At: %s, Instance: %t}", f.name, f.name, side, f.instance)
	g.p("\n// bound%s is an implementation as calls find it.", f.name)
	g.p("type bound%s struct{ %s }", f.name, f.name)
	if f.instance {
		g.p("\n// Bind%s makes impl the object with a net id. Calls that waited for it run before it returns.", f.name)
		g.p("func Bind%s(c *rpc.Calls, id rpc.NetID, impl %s) error {", f.name, f.name)
		g.p("return c.Bind(&interface%s, id, impl, &bound%s{impl})\n}", f.name, f.name)
	} else {
		g.p("\n// Bind%s makes impl what runs its methods.", f.name)
		g.p("func Bind%s(c *rpc.Calls, impl %s) error {", f.name, f.name)
		g.p("return c.Bind(&interface%s, 0, impl, &bound%s{impl})\n}", f.name, f.name)
	}
	if g.firstOfRef(f) {
		g.refType(f)
	}
	for _, m := range f.methods {
		g.refMethod(m)
		g.valuesType(m.args)
		if m.layout.Reply {
			g.valuesType(m.results)
			g.doneFunc(m)
			g.answerFunc(m)
		}
		g.callFunc(m)
	}
	g.ifaceGuard(f)
}

// firstOfRef reports whether no interface before f has the same ref.
func (g *printer) firstOfRef(f *iface) bool {
	for _, other := range g.ifaces {
		if other.ref() == f.ref() {
			return other == f
		}
	}
	return false
}

func (g *printer) refType(f *iface) {
	if f.instance {
		g.p("\n// %s is the object with a net id on the other side: its methods call it there.", f.ref())
		g.p("type %s struct{ ID rpc.NetID }", f.ref())
		return
	}
	g.p("\n// %s is the other side: its methods call it there.", f.ref())
	g.p("type %s struct{}", f.ref())
}

// refMethod prints the method that calls m.
func (g *printer) refMethod(m *method) {
	g.p("\n// %s calls %s, which %s.", m.name, m.layout.Name, map[layout.Side]string{layout.Host: "the server runs; clients call it", layout.Client: "clients run; the server calls it"}[m.of.at])
	if m.layout.Reply {
		g.p("// done is called once, with what it returned or why there is none, unless an error is returned here.")
	}
	if len(m.doc) > 0 {
		g.p("//")
	}
	for _, line := range m.doc {
		g.p("%s", strings.TrimRight("// "+line, " "))
	}
	params := "to rpc.Audience"
	for i, name := range m.params {
		params += ", " + name + " " + g.typeName(m.args.fields[i].typ)
	}
	receiver, id := "ref "+m.of.ref(), "ref.ID"
	if !m.of.instance {
		receiver, id = m.of.ref(), "0"
	}
	result, end := "error", "return out.Send()"
	if m.layout.Reply {
		params += ", done " + g.doneType(m)
		result, end = "(rpc.Request, error)", "return out.Ask(done)"
	}
	g.p("func (%s) %s(%s) %s {", receiver, m.name, params, result)
	if m.isQuick() {
		g.quickCall(m, id)
	}
	g.p("out := to.Begin(&Contract, method%s, %s)", m.id(), id)
	if len(m.params) > 0 {
		g.p("args := out.Args.(*%s)", m.args.name)
		var fields []string
		for i := range m.params {
			fields = append(fields, "args."+m.args.fields[i].Name)
		}
		g.p("%s = %s", strings.Join(fields, ", "), strings.Join(m.params, ", "))
	}
	g.p("%s\n}", end)
}

// isQuick reports whether a call in the same process can need no checks.
func (m *method) isQuick() bool {
	return m.of.at == layout.Client && !m.layout.Reply && m.layout.States == 0 && m.call.phase == "Now" && isPlain(m.layout.Fields) && !m.args.asksValidate()
}

// quickCall prints the call of an implementation in the same process.
func (g *printer) quickCall(m *method, id string) {
	var list []string
	if m.context {
		list = append(list, "direct.ClientCall()")
	}
	list = append(list, m.params...)
	call := fmt.Sprintf("direct.Target.(*bound%s).%s.%s(%s)", m.of.name, m.of.name, m.name, strings.Join(list, ", "))
	if m.hasError {
		call = "direct.Fail(" + call + ")"
	}
	g.p("if direct := to.Quick(&Contract, method%s, %s); direct != nil {\ndefer direct.Return()\n%s\ndirect.Ran = true\nreturn nil\n}", m.id(), id, call)
}

// doneType is the type of the function that gets the results of m.
func (g *printer) doneType(m *method) string {
	var types []string
	for i := range m.results.fields {
		types = append(types, g.typeName(m.results.fields[i].typ))
	}
	return "func(" + strings.Join(append(types, "error"), ", ") + ")"
}

// valuesType prints arguments or results as a struct, and what encodes and decodes it.
func (g *printer) valuesType(s *structType) {
	g.p("\ntype %s struct {", s.name)
	for i := range s.fields {
		g.p("%s %s", s.fields[i].Name, g.typeName(s.fields[i].typ))
	}
	g.p("}")
	if len(s.fields) == 0 {
		g.p("\nfunc encode%s(*wire.BitWriter, any) {}", exported(s.name))
		g.p("\nfunc decode%s(*wire.BitReader, any) {}", exported(s.name))
		return
	}
	g.p("\nfunc encode%s(w *wire.BitWriter, values any) {\nm := values.(*%s)", exported(s.name), s.name)
	e := &encoder{printer: g, stream: "w", codec: layout.Bits}
	e.fields(s, "m")
	g.p("}")
	g.p("\nfunc decode%s(r *wire.BitReader, values any) {\nm := values.(*%s)", exported(s.name), s.name)
	d := &decoder{printer: g, stream: "r", codec: layout.Bits}
	d.fields(s, "m")
	g.p("}")
}

// callFunc prints what calls the implementation.
func (g *printer) callFunc(m *method) {
	values := "args"
	if len(m.params) == 0 {
		values = "_"
	}
	g.p("\nfunc call%s(in *rpc.In, %s any) {", m.id(), values)
	var list []string
	if m.context {
		list = append(list, "in."+contextOf(m.of.at)+"()")
	}
	if len(m.params) > 0 {
		g.p("a := args.(*%s)", m.args.name)
	}
	for i := range m.params {
		list = append(list, "a."+m.args.fields[i].Name)
	}
	call := fmt.Sprintf("in.Target.(*bound%s).%s.%s(%s)", m.of.name, m.of.name, m.name, strings.Join(list, ", "))
	switch {
	case len(m.results.fields) > 0:
		g.p("r := in.Results.(*%s)\nvar err error", m.results.name)
		var results []string
		for i := range m.results.fields {
			results = append(results, "r."+m.results.fields[i].Name)
		}
		g.p("%s = %s\nin.Return(err)", strings.Join(append(results, "err"), ", "), call)
	case m.hasError:
		g.p("in.Return(%s)", call)
	default:
		g.p("%s", call)
	}
	g.p("}")
}

// doneFunc prints what gives results to the function of the caller.
func (g *printer) doneFunc(m *method) {
	g.p("\nfunc done%s(done, results any, err error) {", m.id())
	g.p("f := done.(%s)\nif f == nil {\nreturn\n}", g.doneType(m))
	if len(m.results.fields) == 0 {
		g.p("f(err)\n}")
		return
	}
	g.p("r, ok := results.(*%s)\nif !ok {\nr = new(%s)\n}", m.results.name, m.results.name)
	var list []string
	for i := range m.results.fields {
		list = append(list, "r."+m.results.fields[i].Name)
	}
	g.p("f(%s)\n}", strings.Join(append(list, "err"), ", "))
}

// answerFunc prints what answers a request later.
func (g *printer) answerFunc(m *method) {
	g.p("\n// Answer%s answers a request that %s has put off with Later: with results, or with an error if err is not nil.", m.id(), m.layout.Name)
	params, fields := "later rpc.Later", ""
	for i := range m.results.fields {
		name := "result"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		params += ", " + name + " " + g.typeName(m.results.fields[i].typ)
		fields += name + ", "
	}
	g.p("func Answer%s(%s, err error) error {", m.id(), params)
	g.p("return later.Answer(&Contract.Methods[method%s], &%s{%s}, err)\n}", m.id(), m.results.name, strings.TrimSuffix(fields, ", "))
}

// ifaceGuard prints conversions that do not compile any more when the interface has changed.
func (g *printer) ifaceGuard(f *iface) {
	name := guardName(f.name)
	g.p("\n// What follows does not compile if %s has changed since: run go generate.", f.name)
	g.p("type %s interface {", name)
	for _, m := range f.methods {
		var in []string
		if m.context {
			in = append(in, "rpc."+contextOf(f.at))
		}
		for i := range m.args.fields {
			in = append(in, g.typeName(m.args.fields[i].typ))
		}
		var out []string
		for i := range m.results.fields {
			out = append(out, g.typeName(m.results.fields[i].typ))
		}
		if m.hasError {
			out = append(out, "error")
		}
		results := strings.Join(out, ", ")
		if len(out) > 1 {
			results = "(" + results + ")"
		}
		g.p("%s(%s) %s", m.name, strings.Join(in, ", "), results)
	}
	g.p("}")
	g.p("var (\n_ = func(v %s) %s { return v }\n_ = func(v %s) %s { return v }\n)", f.name, name, name, f.name)
}

// callNames are what zrpc.go declares in the package.
func (c *catalogue) callNames() []string {
	if len(c.methods) == 0 {
		return nil
	}
	names := []string{"Contract"}
	for _, f := range c.ifaces {
		names = append(names, f.ref(), "Bind"+f.name, "bound"+f.name, "interface"+f.name)
	}
	for _, m := range c.methods {
		names = append(names, "method"+m.id(), "args"+m.id(), "call"+m.id(), "encodeArgs"+m.id(), "decodeArgs"+m.id())
		if m.layout.Reply {
			names = append(names, "results"+m.id(), "done"+m.id(), "Answer"+m.id(), "encodeResults"+m.id(), "decodeResults"+m.id())
		}
	}
	return names
}
