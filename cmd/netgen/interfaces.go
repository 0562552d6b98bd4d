package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// takeMethods takes the directives above the methods of an interface that is one of a contract.
func (s *scanner) takeMethods(d directives, spec *ast.TypeSpec) {
	it, ok := spec.Type.(*ast.InterfaceType)
	if !ok || s.callVerb(spec.Name.Name) == nil {
		return
	}
	for _, f := range it.Methods.List {
		if len(f.Names) == 1 {
			s.calls[spec.Name.Name+"."+f.Names[0].Name] = d.take(f.Doc)
		}
	}
}

// callVerb is the rpc:server or rpc:client above a type, nil if there is none.
func (s *scanner) callVerb(name string) *directive {
	for i, d := range s.above[name] {
		if d.verb == "rpc:server" || d.verb == "rpc:client" {
			return &s.above[name][i]
		}
	}
	return nil
}

var ifaceWords = vocabulary{"target": "static", "missing": "discard", "wait": "2s", "phase": "afterFixed"}

var callWordsOf = vocabulary{
	"from": "any", "delivery": "ordered", "channel": "0", "states": "playing", "ttl": "200ms", "urgent": "", "rate": "10/s", "burst": "3", "reply": "", "deadline": "500ms",
	"missing": "discard", "wait": "2s", "phase": "afterFixed", "large": "",
}

// readInterfaces reads the interfaces of the contract.
func (s *scanner) readInterfaces(decls []*ast.TypeSpec) {
	for _, spec := range decls {
		d := s.callVerb(spec.Name.Name)
		if d == nil {
			continue
		}
		if !s.cat.pos.IsValid() {
			s.errorf(d.pos, "the package has calls but no catalogue: write //net:catalogue protocol=%s-1 codec=bits above a package clause", strings.ToUpper(s.pkg.Name()))
			return
		}
		if s.cat.Codec != layout.Bits {
			s.errorf(d.pos, "calls are bit-packed: write codec=bits in net:catalogue, or move the interface to a package of its own")
			return
		}
		s.readInterface(spec, *d)
	}
	s.checkRefs()
}

func (s *scanner) readInterface(spec *ast.TypeSpec, d directive) {
	it, ok := spec.Type.(*ast.InterfaceType)
	if !ok || spec.TypeParams != nil {
		s.errorf(d.pos, "%s is no plain interface: write type %s interface { … }", spec.Name.Name, spec.Name.Name)
		return
	}
	w := ifaceWords.check(d.verb, d.pos, d.words, s.problems)
	f := &iface{name: spec.Name.Name, pos: spec.Name.Pos(), at: layout.Host}
	if d.verb == "rpc:client" {
		f.at = layout.Client
	}
	if !w.has("target") {
		s.errorf(d.pos, "%s needs a target: write target=instance if its calls are for objects with a net id, else target=static", d.verb)
	}
	f.instance = w.choice("target", 0, "static", "instance") == 1
	obj, _ := s.pkg.Scope().Lookup(f.name).(*types.TypeName)
	if obj == nil {
		return // declared twice; the compiler tells
	}
	typ, _ := obj.Type().Underlying().(*types.Interface)
	for _, field := range it.Methods.List {
		if len(field.Names) != 1 {
			s.errorf(field.Pos(), "%s embeds something: write its methods out, each with its rpc:call", f.name)
			continue
		}
		s.readMethod(f, w, field, typ)
	}
	if len(f.methods) == 0 && !s.failed() {
		s.errorf(f.pos, "%s has no method: write one, with //rpc:call above it", f.name)
	}
	s.cat.ifaces = append(s.cat.ifaces, f)
}

// readMethod reads a method: the words of its directive, its parameters and its results.
func (s *scanner) readMethod(f *iface, defaults wordSet, field *ast.Field, typ *types.Interface) {
	name := field.Names[0].Name
	m := &method{of: f, name: name, pos: field.Names[0].Pos(), doc: docLines(field.Doc)}
	var d *directive
	args := map[string]wordSet{}
	for _, above := range s.calls[f.name+"."+name] {
		switch {
		case above.verb == "rpc:arg":
			s.readArg(above, args)
		case above.verb != "rpc:call":
			s.errorf(above.pos, "%s is above a method: only rpc:call and rpc:arg belong there", above.name())
		case d != nil:
			s.errorf(above.pos, "%s.%s has rpc:call twice: keep one", f.name, name)
		default:
			d = &above
		}
	}
	if d == nil {
		s.errorf(m.pos, "%s.%s does not say how it may be called: write //rpc:call%s above it", f.name, name, sampleFrom(f))
		return
	}
	fn := methodNamed(typ, name)
	if fn == nil {
		return
	}
	w := callWordsOf.check("rpc:call", d.pos, d.words, s.problems)
	s.readSignature(m, fn.Signature(), args)
	s.readCall(m, w, defaults)
	f.methods = append(f.methods, m)
	s.cat.methods = append(s.cat.methods, m)
}

func sampleFrom(f *iface) string {
	if f.at == layout.Host {
		return " from=any"
	}
	return ""
}

func methodNamed(t *types.Interface, name string) *types.Func {
	for m := range t.ExplicitMethods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// docLines are the lines of a comment without the directives.
func docLines(group *ast.CommentGroup) []string {
	if text := strings.TrimSpace(group.Text()); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// readArg reads the words that a parameter has of its own.
func (s *scanner) readArg(d directive, args map[string]wordSet) {
	if len(d.words) == 0 || d.words[0].valued {
		s.errorf(d.pos, "rpc:arg needs the name of a parameter: write //rpc:arg text max=64")
		return
	}
	name := d.words[0].key
	if _, twice := args[name]; twice {
		s.errorf(d.pos, "%s has rpc:arg twice: keep one", name)
	}
	args[name] = valueWords.check("rpc:arg "+name, d.pos, d.words[1:], s.problems)
}

// readSignature reads the parameters and results of a method.
func (s *scanner) readSignature(m *method, sig *types.Signature, args map[string]wordSet) {
	m.args, m.results = &structType{name: "args" + m.id(), pos: m.pos}, &structType{name: "results" + m.id(), pos: m.pos}
	if sig.Variadic() {
		s.errorf(m.pos, "%s.%s takes any number of values: write a slice", m.of.name, m.name)
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if i == 0 && s.isContext(m, p) {
			m.context = true
			continue
		}
		m.params = append(m.params, p.Name())
		s.readValue(m, m.args, p, p.Name(), args)
	}
	for name, w := range args {
		s.errorf(w.pos, "rpc:arg %s names no parameter of %s.%s", name, m.of.name, m.name)
	}
	n := sig.Results().Len()
	if n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type()) {
		m.hasError = true
		n--
	}
	for i := range n {
		p := sig.Results().At(i)
		name := p.Name()
		if name == "" || name == "_" {
			name = "result"
			if i > 0 {
				name += strconv.Itoa(i + 1)
			}
		}
		s.readValue(m, m.results, p, name, nil)
	}
	if n > 0 && !m.hasError {
		s.errorf(m.pos, "%s.%s has results but no error, and each request can fail: write error as its last result", m.of.name, m.name)
	}
}

// isContext reports whether a parameter is what says who calls, and reports one of the other side.
func (s *scanner) isContext(m *method, p *types.Var) bool {
	named, ok := types.Unalias(p.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != root+"rpc" {
		return false
	}
	want := contextOf(m.of.at)
	if named.Obj().Name() != want {
		s.errorf(p.Pos(), "%s.%s is run by %s, so its first parameter is an rpc.%s, or no such", m.of.name, m.name, runners[m.of.at], want)
	}
	return true
}

func contextOf(at layout.Side) string {
	if at == layout.Host {
		return "ServerCall"
	}
	return "ClientCall"
}

var runners = map[layout.Side]string{layout.Host: "the server", layout.Client: "clients"}

// readValue reads one parameter or result.
func (s *scanner) readValue(m *method, def *structType, p *types.Var, name string, args map[string]wordSet) {
	if name == "" || name == "_" {
		s.errorf(p.Pos(), "a parameter of %s.%s has no name: give it one, the description needs it", m.of.name, m.name)
		return
	}
	w, ok := args[name]
	if !ok {
		w = valueWords.check("parameter "+name, p.Pos(), nil, s.problems)
	}
	delete(args, name)
	got, ok := s.value(p.Type(), w, p.Pos(), name)
	if !ok {
		return
	}
	got.Name = exported(name)
	if def.field(got.Name) != nil {
		s.errorf(p.Pos(), "%s.%s has two parameters that are %s in generated code: give one another name", m.of.name, m.name, got.Name)
	}
	if got.Kind == layout.KindRest {
		s.errorf(p.Pos(), "%s cannot take the rest: write max=", name)
	}
	def.fields = append(def.fields, field{got, p.Pos()})
}

// readCall reads the words of an rpc:call, and those of the interface for all of its calls.
func (s *scanner) readCall(m *method, w, defaults wordSet) {
	l, c := &m.layout, &m.call
	l.Name, l.At, l.Instance = m.of.name+"."+m.name, m.of.at, m.of.instance
	l.Reply = w.has("reply") || len(m.results.fields) > 0
	s.readFrom(m, w)
	l.Deliveries = s.deliveries(w)
	l.Channel = uint8(w.number("channel", 0, layout.MaxCallChannel, 0))
	l.States = s.stateSet(w)
	c.ttl, c.urgent, c.large = w.duration("ttl"), w.has("urgent"), w.has("large")
	s.readRate(m, w)
	s.readDeadline(m, w)
	own := w.has("missing") && w.text("missing") != "queue" // then the wait of the others is not for it
	for _, key := range []string{"missing", "wait", "phase"} {
		if !w.has(key) && defaults.has(key) && !(own && key == "wait") {
			w.words[key] = defaults.words[key]
		}
	}
	s.readMissing(m, w)
	c.phase = []string{"Now", "AfterFixed", "BeforeRender"}[w.choice("phase", 0, "now", "afterFixed", "beforeRender")]
}

func (s *scanner) readFrom(m *method, w wordSet) {
	switch {
	case m.of.at == layout.Client && w.has("from"):
		s.errorf(w.at("from"), "from is for calls of the server: leave it out, only the server calls %s.%s", m.of.name, m.name)
	case m.of.at == layout.Host && !w.has("from"):
		s.errorf(w.pos, "%s.%s does not say who may call it: write from=any, or from=owner for the owner of the object", m.of.name, m.name)
	}
	m.layout.Owner = w.choice("from", 0, "any", "owner") == 1
	if m.layout.Owner && !m.of.instance {
		s.errorf(w.at("from"), "from=owner is for calls with an object: write from=any, or target=instance in %s", m.of.name)
		m.layout.Owner = false
	}
}

func (s *scanner) deliveries(w wordSet) []transport.Delivery {
	if !w.has("delivery") {
		return []transport.Delivery{transport.ReliableOrdered}
	}
	var list []transport.Delivery
	for _, name := range w.list("delivery") {
		i := slices.IndexFunc(deliveries, func(d transport.Delivery) bool { return d.String() == name })
		switch {
		case i < 0:
			var names []string
			for _, d := range deliveries {
				names = append(names, d.String())
			}
			s.errorf(w.at("delivery"), "delivery=%s is not possible: %s", name, didYouMean(name, names))
		case slices.Contains(list, deliveries[i]):
			s.errorf(w.at("delivery"), "delivery %s stands twice: keep one", name)
		default:
			list = append(list, deliveries[i])
		}
	}
	if len(list) == 0 {
		list = append(list, transport.ReliableOrdered)
	}
	return list
}

// maxRate is how many calls a second can be allowed at most.
const maxRate = 1_000_000

// readRate reads how often a client may call.
func (s *scanner) readRate(m *method, w wordSet) {
	switch {
	case !w.has("rate") && w.has("burst"):
		s.errorf(w.at("burst"), "burst is for calls with a rate: write rate=10/s as well, or leave it out")
		return
	case !w.has("rate"):
		return
	case m.of.at == layout.Client:
		s.errorf(w.at("rate"), "rate is for calls of the server: leave it out, nobody limits the server")
		return
	}
	count, unit, ok := strings.Cut(w.text("rate"), "/")
	n, err := strconv.Atoi(count)
	per, known := map[string]time.Duration{"s": time.Second, "m": time.Minute}[unit]
	switch {
	case !ok && isNumber(w.text("rate")):
		s.errorf(w.at("rate"), "rate=%s needs a unit: write rate=%s/s", w.text("rate"), w.text("rate"))
	case err != nil || !known || n < 1 || n > maxRate:
		s.errorf(w.at("rate"), "%s is not possible: write rate=10/s or rate=30/m, with 1 to %d", w.words["rate"], maxRate)
	default:
		m.call.rate, m.call.per = n, per
		m.call.burst = int(w.number("burst", 1, maxRate, 1))
	}
}

const maxDeadline = time.Minute

func (s *scanner) readDeadline(m *method, w wordSet) {
	if w.has("reply") && len(m.results.fields) > 0 {
		s.errorf(w.at("reply"), "%s.%s has results, so it is answered anyway: leave reply out", m.of.name, m.name)
	}
	if w.has("reply") && !m.hasError {
		s.errorf(w.at("reply"), "%s.%s is answered, and each request can fail: write error as its result", m.of.name, m.name)
	}
	switch d := w.duration("deadline"); {
	case w.has("deadline") && !m.layout.Reply:
		s.errorf(w.at("deadline"), "deadline is for calls that are answered: leave it out, or write reply")
	case d > maxDeadline:
		s.errorf(w.at("deadline"), "deadline=%v is too long: at most 60s", d)
	case m.layout.Reply && d == 0:
		m.call.deadline = 5 * time.Second
	default:
		m.call.deadline = d
	}
}

func (s *scanner) readMissing(m *method, w wordSet) {
	i := w.choice("missing", 0, "discard", "error", "queue")
	m.call.missing = []string{"Discard", "Report", "Queue"}[i]
	m.call.wait = w.duration("wait")
	switch {
	case !m.of.instance && (w.has("missing") || w.has("wait")):
		s.errorf(w.at("missing"), "missing and wait are for calls with an object: leave them out, or write target=instance in %s", m.of.name)
	case i != 2 && w.has("wait"):
		s.errorf(w.at("wait"), "wait is for missing=queue: leave it out, or write missing=queue")
	case i == 2 && m.call.wait == 0:
		m.call.wait = 2 * time.Second
	}
}

// checkRefs reports interfaces and methods that would have one name at their caller.
func (s *scanner) checkRefs() {
	instance := map[string]*iface{}
	seen := map[string]*method{}
	for _, f := range s.cat.ifaces {
		if other := instance[f.ref()]; other != nil && other.instance != f.instance {
			s.errorf(f.pos, "%s and %s are both called through %s, and one is for objects, the other is not: give one another name", other.name, f.name, f.ref())
		}
		instance[f.ref()] = f
		for _, m := range f.methods {
			key := f.ref() + "." + m.name
			if other := seen[key]; other != nil {
				s.errorf(m.pos, "%s.%s and %s.%s are both called through %s: give one another name", other.of.name, other.name, f.name, m.name, key)
			}
			seen[key] = m
		}
	}
}

// refName is the name of what calls an interface: DoorRef for DoorServer and DoorClient.
func refName(name string) string {
	for _, suffix := range []string{"Server", "Client"} {
		if short, ok := strings.CutSuffix(name, suffix); ok && short != "" {
			return short + "Ref"
		}
	}
	return name + "Ref"
}

// giveMethodIDs gives each method the id that it has in the lock, and new ones the next. It brings them into the order of descriptions.
func (s *scanner) giveMethodIDs() {
	next := map[layout.Side]uint16{}
	known := map[layout.Side]map[string]uint16{layout.Client: {}, layout.Host: {}}
	if s.locked != nil {
		for _, b := range s.locked.blocks {
			for _, m := range b.Methods {
				known[m.At][m.Name] = m.ID
				next[m.At] = max(next[m.At], m.ID+1)
			}
		}
	}
	for _, m := range s.cat.methods {
		id, ok := known[m.of.at][m.layout.Name]
		if !ok {
			id = next[m.of.at]
			next[m.of.at]++
		}
		m.layout.ID = id
	}
	slices.SortFunc(s.cat.methods, func(a, b *method) int { return orderOfMethods(&a.layout, &b.layout) })
}

// orderOfMethods is the order of methods in a description.
func orderOfMethods(a, b *layout.Method) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

// describeMethods fills in what the description says of methods.
func (s *scanner) describeMethods() {
	for _, m := range s.cat.methods {
		m.layout.Fields, m.layout.Results = m.args.describe(), m.results.describe()
		s.cat.Methods = append(s.cat.Methods, m.layout)
		s.checkCallSize(m)
	}
}

// headBits is how many bits can stand before the arguments.
const headBits = 16 + 17 + 32 + 32

// checkCallSize compares the largest call with what its delivery carries.
func (s *scanner) checkCallSize(m *method) {
	_, most := s.cat.CallSizes(m.layout.Fields)
	_, answer := s.cat.CallSizes(m.layout.Results)
	bytes := (headBits + most + 7) / 8
	const smaller = "give its strings and lists a smaller max="
	for _, d := range m.layout.Deliveries {
		switch {
		case d.Reliable() && bytes > maxReliable:
			s.errorf(m.pos, "a call of %s can have %d bytes, more than the %d of a message: %s", m.layout.Name, bytes, maxReliable, smaller)
		case !d.Reliable() && bytes > maxLossy:
			s.errorf(m.pos, "a call of %s can have %d bytes, more than the %d of a message that can be lost: %s", m.layout.Name, bytes, maxLossy, smaller)
		case !d.Reliable() && bytes > maxPacket && !m.call.large:
			s.errorf(m.pos, "a call of %s can have %d bytes, but is %s, and above %d it travels in fragments of which each can be lost: %s, or write large", m.layout.Name, bytes, d,
				maxPacket, smaller)
		}
	}
	if bytes := (headBits + answer + 7) / 8; bytes > maxReliable {
		s.errorf(m.pos, "an answer of %s can have %d bytes, more than the %d of a message: %s", m.layout.Name, bytes, maxReliable, smaller)
	}
}

func findMethod(c *layout.Catalogue, m *layout.Method) *layout.Method {
	for i := range c.Methods {
		if c.Methods[i].Name == m.Name && c.Methods[i].At == m.At {
			return &c.Methods[i]
		}
	}
	return nil
}

// methodPlace finds where in the source a method is, or what is closest to it.
func (c *catalogue) methodPlace(name string) token.Pos {
	for _, m := range c.methods {
		if m.layout.Name == name {
			return m.pos
		}
	}
	return c.pos
}
