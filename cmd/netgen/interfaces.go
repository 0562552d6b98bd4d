package main

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
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
	name := spec.Name.Name
	switch {
	case !ok || spec.TypeParams != nil || spec.Assign.IsValid():
		s.errorf(d.pos, "%s is no plain interface: write type %s interface { … }", name, name)
		return
	case !spec.Name.IsExported():
		s.errorf(spec.Name.Pos(), "%s is not exported, but both sides need it: write %s", name, exported(name))
		return
	}
	w := ifaceWords.check(d.verb, d.pos, d.words, s.problems)
	f := &iface{name: name, pos: spec.Name.Pos(), at: layout.Host}
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
		if s.usableName(f, field.Names[0]) {
			s.readMethod(f, w, field, typ)
		}
	}
	if len(f.methods) == 0 && !s.failed() {
		s.errorf(f.pos, "%s has no method: write one, with //rpc:call above it", f.name)
	}
	s.cat.ifaces = append(s.cat.ifaces, f)
}

// usableName reports the name of a method that generated code cannot have.
func (s *scanner) usableName(f *iface, id *ast.Ident) bool {
	for _, m := range f.methods {
		if m.name != id.Name && strings.EqualFold(m.name, id.Name) {
			s.errorf(id.Pos(), "%s.%s and %s.%s differ in nothing but capitals: give one another name", f.name, m.name, f.name, id.Name)
		}
	}
	switch {
	case !id.IsExported():
		s.errorf(id.Pos(), "%s.%s is not exported, so no other package can have it: write %s", f.name, id.Name, exported(id.Name))
	case f.instance && id.Name == "ID":
		s.errorf(id.Pos(), "%s.ID is called through %s, which has a field of that name: give the method another one", f.name, f.ref())
	default:
		return true
	}
	return false
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
