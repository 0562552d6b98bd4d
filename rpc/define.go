package rpc

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Draft is a contract that a program writes down itself, where netgen cannot: in a test, or in a plugin that is loaded. Its methods have one struct of arguments each, and get their ids in the order
// in which they are defined. Both sides define the same, in the same order; nothing locks what it was.
//
//	var (
//		turretServer = &rpc.Interface{Name: "TurretServer", At: msgs.Host, Instance: true}
//		draft        = rpc.NewDraft("turret", "TURRET-1")
//		aim          = rpc.Define(draft, rpc.Method{Name: "Aim", Of: turretServer, Owner: true}, func(in *rpc.In, at *Pos) error {
//			return in.Target.(*turret).aim(*at)
//		})
//	)
//
//	contract, err := draft.Contract()
//	err = calls.Register(contract)                       // both
//	err = calls.Bind(turretServer, id, turret1, turret1) // who runs it
//	err = aim.Send(calls.Server(), id, Pos{3, 4})        // who calls it
//
// A struct can have fields of these types, in structs and arrays, with the words of MESSAGES.md 2 in their tags: bool, sized integers (bits, min, max), floats (fixed, ufixed, unorm, snorm, degrees, radians),
// strings (max, lenbits) and []byte (max). It is looked at when it is defined, and whenever another one is made, but not for each call.
type Draft struct {
	catalogue layout.Catalogue
	contract  *Contract
	methods   []*Method
	wrong     []error
	ended     bool
}

// NewDraft begins a contract. The states are those in which Method.States counts; a contract that uses some needs its catalogue mounted.
func NewDraft(name, protocol string, states ...string) *Draft {
	return &Draft{catalogue: layout.Catalogue{Name: name, Protocol: protocol, Codec: layout.Bits, States: states}, contract: &Contract{}}
}

// Contract ends the draft, or returns all that is wrong with it as one error.
func (d *Draft) Contract() (*Contract, error) {
	if !d.ended {
		d.ended = true
		d.finish()
	}
	if err := errors.Join(d.wrong...); err != nil {
		return nil, err
	}
	return d.contract, nil
}

// finish puts the methods into the order of descriptions, and describes them.
func (d *Draft) finish() {
	slices.SortStableFunc(d.methods, func(a, b *Method) int { return int(a.Of.At) - int(b.Of.At) })
	slices.SortStableFunc(d.catalogue.Methods, func(a, b layout.Method) int { return int(a.At) - int(b.At) })
	if err := d.catalogue.Check(); err != nil {
		d.fail("%w", err)
		return
	}
	text := d.catalogue.String()
	d.contract.Catalogue = &msgs.Catalogue{
		Name: d.catalogue.Name, Protocol: d.catalogue.Protocol, Codec: layout.Bits, States: d.catalogue.States, Fingerprint: layout.Fingerprint(text), Description: text,
	}
	for i, m := range d.methods {
		l := &d.catalogue.Methods[i]
		m.Args.MinBits, m.Args.MaxBits = d.catalogue.CallSizes(l.Fields)
		m.Results.MinBits, m.Results.MaxBits = d.catalogue.CallSizes(l.Results)
		if missing := m.incomplete(); missing != "" {
			d.fail("%s cannot be: %s", m.Name, missing)
		}
		d.contract.Methods = append(d.contract.Methods, *m)
	}
}

func (d *Draft) fail(format string, args ...any) {
	d.wrong = append(d.wrong, fmt.Errorf("rpc: draft %s: %w", d.catalogue.Name, fmt.Errorf(format, args...)))
}

// Defined is a method of a draft with arguments A.
type Defined[A any] struct {
	draft *Draft
	name  string
	place int // in the contract, once that is known
}

// DefinedRequest is one that is answered with R.
type DefinedRequest[A, R any] struct{ Defined[A] }

// Define adds a method that is sent, and that handle runs. Of m it takes Name, without its interface, Of, and the policy; the default delivery is ordered. What is wrong is told by Draft.Contract.
func Define[A any](d *Draft, m Method, handle func(in *In, args *A) error) *Defined[A] {
	m.Call = func(in *In, args any) { in.Return(handle(in, &args.(*box[A]).values)) }
	m.Reply, m.Deadline = false, 0
	return &Defined[A]{d, d.add(&m, boxed[A](d, &m, &m.Args), nil), unknownPlace}
}

// DefineRequest is Define for a method that is answered.
func DefineRequest[A, R any](d *Draft, m Method, handle func(in *In, args *A) (R, error)) *DefinedRequest[A, R] {
	m.Call = func(in *In, args any) {
		results, err := handle(in, &args.(*box[A]).values)
		in.Results.(*box[R]).values = results
		in.Return(err)
	}
	m.Done = func(done, results any, err error) {
		f, _ := done.(func(R, error))
		switch r, ok := results.(*box[R]); {
		case f == nil:
		case ok:
			f(r.values, err)
		default:
			f(*new(R), err)
		}
	}
	if m.Reply = true; m.Deadline == 0 {
		m.Deadline = 5 * time.Second
	}
	args, results := boxed[A](d, &m, &m.Args), boxed[R](d, &m, &m.Results)
	return &DefinedRequest[A, R]{Defined[A]{d, d.add(&m, args, results), unknownPlace}}
}

const unknownPlace = -1 // what slices.IndexFunc returns

// add takes a method in, and returns its whole name.
func (d *Draft) add(m *Method, args, results []layout.Field) string {
	if d.ended {
		d.fail("%s is defined after Contract: its contract is there already", m.Name)
		return m.Name
	}
	if m.Of == nil {
		d.fail("%s has no Of: give the Interface that it is a method of", m.Name)
		return m.Name
	}
	m.Name = m.Of.Name + "." + m.Name
	if len(m.Deliveries) == 0 {
		m.Deliveries = []transport.Delivery{transport.ReliableOrdered}
	}
	if m.Rate.Count > 0 {
		m.Rate.Burst = max(m.Rate.Burst, 1)
	}
	for _, other := range d.methods {
		if other.Of.At == m.Of.At {
			m.ID++
		}
	}
	d.methods = append(d.methods, m)
	d.catalogue.Methods = append(d.catalogue.Methods, layout.Method{
		ID: m.ID, Name: m.Name, At: m.Of.At, Instance: m.Of.Instance, Owner: m.Owner, Deliveries: m.Deliveries, Channel: m.Channel, States: m.States,
		Fields: args, Reply: m.Reply, Results: results,
	})
	return m.Name
}

// find finds the method in the contract, and reports whether it is there.
func (f *Defined[A]) find() bool {
	if f.place == unknownPlace {
		f.place = slices.IndexFunc(f.draft.contract.Methods, func(m Method) bool { return m.Name == f.name })
	}
	return f.place != unknownPlace
}

// begin begins a call.
func (f *Defined[A]) begin(to Audience, id NetID, args A) (*Out, error) {
	if !f.find() {
		return nil, &CallError{f.name, ErrNotRegistered}
	}
	out := to.Begin(f.draft.contract, f.place, id)
	out.Args.(*box[A]).values = args
	return out, nil
}

// Send calls the method. id is that of the object, or 0 if it has none.
func (f *Defined[A]) Send(to Audience, id NetID, args A) error {
	out, err := f.begin(to, id, args)
	if err != nil {
		return err
	}
	return out.Send()
}

// Ask calls the method. done is called once, with what it returned or why there is none, unless an error is returned here.
func (f *DefinedRequest[A, R]) Ask(to Audience, id NetID, args A, done func(R, error)) (Request, error) {
	out, err := f.begin(to, id, args)
	if err != nil {
		return Request{}, err
	}
	return out.Ask(done)
}

// Answer answers a request that its handler has put off with Later.
func (f *DefinedRequest[A, R]) Answer(later Later, results R, err error) error {
	if !f.find() {
		return ErrNotRegistered
	}
	m := &f.draft.contract.Methods[f.place]
	b := m.Results.New().(*box[R])
	b.values = results
	return later.Answer(m, b, err)
}

// Values are arguments as samples of package rpctest have them.
func (f *Defined[A]) Values(args A) any {
	if !f.find() {
		return nil
	}
	b := f.draft.contract.Methods[f.place].Args.New().(*box[A])
	b.values = args
	return b
}

// box holds a struct together with what encodes and decodes each of its fields where it is, so that no call has to look for them.
type box[T any] struct {
	values T
	steps  []step
}

// Fields are where the tests of package rpctest find the fields.
func (b *box[T]) Fields() any { return &b.values }

// validator is asked about values before they are sent and before they are handled.
type validator interface{ Validate() error }

// boxed describes the struct T, and fills in how it is made, encoded and decoded.
func boxed[T any](d *Draft, m *Method, v *Values) []layout.Field {
	fields, err := describe[T]()
	if err != nil {
		d.fail("%s: %w", m.Name, err)
		fields = nil
	}
	v.New = func() any { return newBox[T](fields) }
	v.Encode = func(w *wire.BitWriter, values any) {
		b := values.(*box[T])
		if asked, ok := any(&b.values).(validator); ok {
			w.Fail(asked.Validate())
		}
		for i := range b.steps {
			b.steps[i].encode(w)
		}
	}
	v.Decode = func(r *wire.BitReader, values any) {
		b := values.(*box[T])
		for i := range b.steps {
			b.steps[i].decode(r)
		}
		if asked, ok := any(&b.values).(validator); ok && r.Err() == nil {
			r.Fail(asked.Validate())
		}
	}
	return fields
}
