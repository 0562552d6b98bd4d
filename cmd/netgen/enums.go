package main

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// enumOf reads the enum of that name once. use is where errors about the type itself are reported.
func (s *scanner) enumOf(name string, use token.Pos) *enumType {
	if e, ok := s.enums[name]; ok {
		return e
	}
	obj, _ := s.pkg.Scope().Lookup(name).(*types.TypeName)
	if obj == nil {
		return nil
	}
	basic, _ := obj.Type().Underlying().(*types.Basic)
	if basic == nil || sizedInt(basic) == 0 {
		s.errorf(use, "%s is no integer of a fixed size: an enum is one, write type %s uint8", name, name)
		return nil
	}
	e := &enumType{name: name, obj: obj}
	s.enums[name] = e
	constants := s.constantsOf(obj.Type())
	for _, c := range constants {
		s.addConstant(e, c)
	}
	if len(constants) == 0 {
		s.errorf(use, "%s has no constants, so it has no values: declare const ( … %s = iota … )", name, name)
	}
	s.checkEnumNames(e)
	if s.cat.Codec == layout.Bits {
		s.checkDense(e)
	}
	return e
}

// constantsOf gives the package's constants of a type by value, those of equal values in the order of the source.
func (s *scanner) constantsOf(t types.Type) []*types.Const {
	var list []*types.Const
	for _, name := range s.pkg.Scope().Names() {
		if c, ok := s.pkg.Scope().Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) && c.Val().Kind() == constant.Int {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *types.Const) int {
		switch {
		case constant.Compare(a.Val(), token.LSS, b.Val()):
			return -1
		case constant.Compare(a.Val(), token.GTR, b.Val()):
			return 1
		}
		at, bt := s.fset.Position(a.Pos()), s.fset.Position(b.Pos())
		return cmp.Or(cmp.Compare(at.Filename, bt.Filename), cmp.Compare(at.Offset, bt.Offset))
	})
	return list
}

func (s *scanner) addConstant(e *enumType, c *types.Const) {
	v, exact := constant.Int64Val(c.Val())
	switch {
	case !exact:
		s.errorf(c.Pos(), "%s is above the largest value of an enum, 1<<63 - 1: choose a smaller one", c.Name())
	case len(e.values) > 0 && e.values[len(e.values)-1] == v:
		// A second name of the same value.
	default:
		e.values = append(e.values, v)
		e.constants = append(e.constants, c)
	}
}

// checkDense reports values that codec Bits has no room for.
func (s *scanner) checkDense(e *enumType) {
	for i, v := range e.values {
		if v != int64(i) {
			s.errorf(e.constants[i].Pos(), "%s is %d, but with codec=bits the values of an enum are 0, 1, 2 … without a gap: give it the value %d",
				e.constants[i].Name(), v, i)
			return
		}
	}
}

func (s *scanner) checkEnumNames(e *enumType) {
	for m := range e.obj.Type().(*types.Named).Methods() {
		switch m.Name() {
		case "String":
			e.hasString = true
		case "Valid":
			s.errorf(m.Pos(), "method Valid of an enum is written by netgen: remove this one, or give it another name")
		}
	}
}

// unmarked reports a type that looks like an enum but is not marked as one.
func (s *scanner) unmarked(named *types.Named, use token.Pos) bool {
	constants := s.constantsOf(named)
	if len(constants) == 0 {
		return false
	}
	var names []string
	for _, c := range constants[:min(3, len(constants))] {
		names = append(names, c.Name())
	}
	s.errorf(use, "type %s has constants (%s): write //net:enum above it if they are its values, or declare them without the type if they are not",
		named.Obj().Name(), strings.Join(names, ", "))
	return true
}
