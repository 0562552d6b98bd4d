package main

import (
	"go/token"
	"go/types"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
)

// catalogue is what one package declares: the layout, and beside it what Go code has to know.
type catalogue struct {
	layout.Catalogue
	pkg      *types.Package
	pos      token.Pos // of its directive
	reserved map[int]bool
	noFuzz   bool          // its fuzz target is the user's
	messages []*message    // ascending ids, as in Catalogue.Messages
	ifaces   []*iface      // by place in the source
	methods  []*method     // of all of them, as in Catalogue.Methods
	structs  []*structType // used in messages, by name
	enums    []*enumType   // by name
	others   []*types.TypeName
}

// message is a struct with an id.
type message struct {
	*structType
	layout     layout.Message
	ttl        time.Duration // 0 is none
	urgent     bool
	large      bool
	raw        bool // what follows its id is the user's to write and read
	hasID      bool // it could be read
	least, max int  // bytes, id included
}

// structType is a named struct of the package, message or part of one.
type structType struct {
	name      string
	obj       *types.TypeName
	pos       token.Pos
	fields    []field // what is sent
	unsent    bool    // some fields are not
	validated bool    // it has a method Validate
}

// field is a field that is sent.
type field struct {
	value
	pos token.Pos
}

// value is one value: how it travels, and what it is in Go.
type value struct {
	layout.Field
	typ       types.Type
	validated bool        // its type has a method Validate; that of a KindStruct is asked where the struct is read
	def       *structType // KindStruct
	enum      *enumType   // the enums
	item      *value      // KindList, KindArray
}

// enumType is an integer type with the constants that are its values.
type enumType struct {
	name      string
	obj       *types.TypeName
	constants []*types.Const // one for each value, ascending
	values    []int64
	hasString bool // the user wrote String
}

// namedType is the name of the type that the user declared for a value, "" if it has none.
func (v *value) namedType() string {
	if named, ok := v.typ.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// iface is an interface of a contract.
type iface struct {
	name     string
	pos      token.Pos
	at       layout.Side // who runs it
	instance bool
	methods  []*method // in the order of the source
}

// ref is the name of what stands for it, and the interface of the other side of the same name, at the caller: Door for DoorServer.
func (f *iface) ref() string { return refName(f.name) }

// method is one method of an interface.
type method struct {
	of       *iface
	name     string
	pos      token.Pos
	doc      []string // lines of its comment
	context  bool     // its first parameter says who calls
	args     *structType
	params   []string // their names in the source
	results  *structType
	hasError bool
	layout   layout.Method
	call     callWords
}

// id is the name of m within names of the generated code.
func (m *method) id() string { return m.of.name + m.name }

// callWords are what a directive says that is not in the description.
type callWords struct {
	ttl, wait, deadline time.Duration
	urgent, large       bool
	rate, burst         int
	per                 time.Duration
	missing, phase      string // as package rpc names them
}
