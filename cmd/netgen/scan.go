package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// scanner reads the catalogue of one package.
type scanner struct {
	*problems
	pkg     *types.Package
	errors  []types.Error // of the type checker
	cat     *catalogue
	structs map[string]*structType
	enums   map[string]*enumType
	above   map[string][]directive // the directives above a type, by its name
	calls   map[string][]directive // those above a method of an interface, by Interface.Method
	locked  *lock                  // what the ids of methods were
	reading []string               // the structs that are being read, outermost first
	ids     []int                  // of all messages
}

// scan reads the catalogue of a package. It returns nil if there is no directive at all. If problems were found it is incomplete.
func scan(p *packages.Package, locked *lock, found *problems) *catalogue {
	s := &scanner{
		problems: found, pkg: p.Types, errors: p.TypeErrors, cat: &catalogue{pkg: p.Types, reserved: map[int]bool{}},
		structs: map[string]*structType{}, enums: map[string]*enumType{}, above: map[string][]directive{}, calls: map[string][]directive{}, locked: locked,
	}
	var heads []directive
	var decls []*ast.TypeSpec
	for _, file := range p.Syntax {
		d := findDirectives(file)
		s.checkSpaced(file)
		heads = append(heads, d.takeHead()...)
		decls = append(decls, s.takeTypes(d)...)
		s.reportLeft(d)
	}
	if len(heads)+len(s.above) == 0 {
		return nil
	}
	s.readHeads(heads)
	s.readTypes(decls)
	s.finish()
	s.collect()
	s.checkNames()
	return s.cat
}

// takeTypes gives the type declarations of a file that have directives above them.
func (s *scanner) takeTypes(d directives) []*ast.TypeSpec {
	var decls []*ast.TypeSpec
	for _, decl := range d.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			docs := spec.Doc
			if !gen.Lparen.IsValid() {
				docs = gen.Doc
			}
			if above := d.take(docs); len(above) > 0 {
				s.above[spec.Name.Name] = above
				decls = append(decls, spec)
				s.takeMethods(d, spec)
			}
		}
	}
	return decls
}

// checkSpaced warns of directives that a space has turned into prose.
func (s *scanner) checkSpaced(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			trimmed := strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t")
			first, _, _ := strings.Cut(trimmed, " ")
			verb, isNet := strings.CutPrefix(first, "net:")
			_, known := verbs.with(valueWords)[verb]
			_, isCall := callVerbs[first]
			if (isNet && known || isCall) && c.Text != "//"+trimmed {
				s.warnf(c.Pos(), "a space makes this a comment, not a directive: write //%s", first)
			}
		}
	}
}

// reportLeft reports the directives of a file that stand above nothing that they can be about.
func (s *scanner) reportLeft(d directives) {
	for _, left := range d.left() {
		where := "above a type"
		switch left.verb {
		case "catalogue":
			where = "above a package clause"
		case "message":
			where = "above a struct type"
		case "enum":
			where = "above an integer type"
		case "rpc:server", "rpc:client":
			where = "above an interface type"
		case "rpc:call", "rpc:arg":
			where = "above a method, in an interface that has rpc:server or rpc:client above it"
		}
		if _, known := verbs.with(valueWords).with(callVerbs)[left.verb]; !known {
			s.unknownVerb(left)
			continue
		}
		s.errorf(left.pos, "%s is above nothing that it can be about: write it on a line directly %s, inside a group if the type is in one", left.name(), where)
	}
}

func (s *scanner) unknownVerb(d directive) {
	if strings.HasPrefix(d.verb, "rpc:") {
		s.errorf(d.pos, "%s is unknown: %s", d.verb, didYouMean(d.verb, callVerbs.names()))
		return
	}
	s.errorf(d.pos, "net:%s is unknown: %s", d.verb, didYouMean(d.verb, verbs.with(valueWords).names()))
}

func (s *scanner) readHeads(heads []directive) {
	first := true
	for _, d := range heads {
		switch {
		case d.verb != "catalogue":
			s.errorf(d.pos, "%s is above a package clause: only net:catalogue belongs there", d.name())
		case !first:
			s.errorf(d.pos, "a package has one net:catalogue: remove this one, or move its messages to a package of their own")
		default:
			s.readCatalogue(d)
			first = false
		}
	}
}

// readTypes reads the messages among the declarations, and reports directives above types that they cannot be about.
func (s *scanner) readTypes(decls []*ast.TypeSpec) {
	type found struct {
		spec *ast.TypeSpec
		d    directive
	}
	var messages []found
	for _, spec := range decls {
		s.checkDirectives(spec)
		if i := s.verbIndex(spec.Name.Name, "message"); i >= 0 {
			messages = append(messages, found{spec, s.above[spec.Name.Name][i]})
			s.ids = append(s.ids, idOf(s.above[spec.Name.Name][i]))
		}
	}
	if len(messages) > 0 && !s.cat.pos.IsValid() {
		s.errorf(messages[0].d.pos, "the package has messages but no catalogue: write //net:catalogue protocol=%s-1 above a package clause",
			strings.ToUpper(s.pkg.Name()))
	}
	for _, m := range messages {
		s.readMessage(m.spec, m.d)
	}
	s.readInterfaces(decls)
	for _, spec := range decls {
		if s.verbIndex(spec.Name.Name, "enum") >= 0 {
			s.enumOf(spec.Name.Name, spec.Name.Pos())
		}
	}
	if len(messages) == 0 && len(s.cat.ifaces) == 0 && s.cat.pos.IsValid() && !s.failed() {
		s.errorf(s.cat.pos, "the catalogue has no message: write //net:message id=1 from=both above a struct type")
	}
}

func (s *scanner) verbIndex(name, verb string) int {
	return slices.IndexFunc(s.above[name], func(d directive) bool { return d.verb == verb })
}

// checkDirectives reports directives that a type cannot have, or not together.
func (s *scanner) checkDirectives(spec *ast.TypeSpec) {
	above := s.above[spec.Name.Name]
	for i, d := range above {
		_, value := valueWords[d.verb]
		switch {
		case d.verb == "catalogue":
			s.errorf(d.pos, "net:catalogue is above a type: write it above a package clause")
		case d.verb == "message" && spec.TypeParams != nil:
			s.errorf(d.pos, "%s is generic: a message is one struct, write it for the type that is sent", spec.Name.Name)
		case d.verb == "enum" && len(d.words) > 0:
			s.errorf(d.words[0].pos, "net:enum takes no words: leave %s out, the constants of %s are its values", d.words[0], spec.Name.Name)
		case value:
			valueWords.check("the directive above "+spec.Name.Name, d.pos, d.all, s.problems)
		case d.verb == "rpc:server", d.verb == "rpc:client":
		case d.verb == "rpc:call", d.verb == "rpc:arg":
			s.errorf(d.pos, "%s is above a type: write it above a method of an interface", d.verb)
		case d.verb != "message" && d.verb != "enum":
			s.unknownVerb(d)
		}
		if i > 0 && (strings.HasPrefix(d.verb, "rpc:") || strings.HasPrefix(above[0].verb, "rpc:")) {
			s.errorf(d.pos, "%s and %s do not go together: keep one", above[0].name(), d.name())
			continue
		}
		if i > 0 && (d.verb == "message" || d.verb == "enum" || above[0].verb == "message" || above[0].verb == "enum") {
			s.errorf(d.pos, "net:%s and net:%s do not go together: keep one", above[0].verb, d.verb)
		}
	}
}

// idOf gives the id of a message's directive as far as it can be read.
func idOf(d directive) int {
	for _, w := range d.words {
		if w.key == "id" {
			return atoi(w.value)
		}
	}
	return 0
}
