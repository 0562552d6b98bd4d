package rpctest

import (
	"fmt"
	"strings"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// suite tests one contract.
type suite struct {
	contract *rpc.Contract
	layout   *layout.Catalogue
	as       *msgs.Catalogue // arguments and results as messages
	idBits   int
	entries  map[key]*msgs.Entry
}

// key names the arguments of a method, or its results.
type key struct {
	method int
	reply  bool
}

// newSuite reads the description of a contract.
func newSuite(c *rpc.Contract) (*suite, error) {
	l, err := c.Catalogue.Layout()
	if err != nil {
		return nil, err
	}
	if len(l.Methods) != len(c.Methods) {
		return nil, fmt.Errorf("contract %s has %d methods, and its description %d", c.Catalogue.Name, len(c.Methods), len(l.Methods))
	}
	s := &suite{contract: c, layout: l}
	s.makeCatalogue()
	return s, nil
}

// makeCatalogue makes a catalogue with a message for the arguments of each method, and one for its results.
func (s *suite) makeCatalogue() {
	as := layout.Catalogue{Name: s.layout.Name, Protocol: s.layout.Protocol, Codec: layout.Bits}
	var keys []key
	add := func(k key, name string, fields []layout.Field) {
		as.Messages = append(as.Messages, layout.Message{ID: uint16(len(keys)), Name: name, From: layout.Host, Delivery: transport.ReliableOrdered, Fields: fields})
		keys = append(keys, k)
	}
	for i := range s.layout.Methods {
		m := &s.layout.Methods[i]
		add(key{i, false}, nameOf(i, m.Name, ""), m.Fields)
		if m.Reply {
			add(key{i, true}, nameOf(i, m.Name, "_reply"), m.Results)
		}
	}
	as.HostIDs = len(keys)
	s.idBits = as.IDBits(layout.Host)
	s.as = &msgs.Catalogue{Name: as.Name, Protocol: as.Protocol, Codec: as.Codec, HostIDs: as.HostIDs, Description: as.String()}
	s.as.Fingerprint = layout.Fingerprint(s.as.Description)
	s.entries = map[key]*msgs.Entry{}
	s.as.Entries = make([]msgs.Entry, len(keys))
	for i, k := range keys {
		m := &as.Messages[i]
		least, most := as.Sizes(m)
		s.as.Entries[i] = msgs.Entry{ID: m.ID, Name: m.Name, From: m.From, Delivery: m.Delivery, MinSize: least, MaxSize: most}
		s.entries[k] = &s.as.Entries[i]
	}
}

// nameOf makes a name of a message out of that of a method. One that would be too long has the place of the method instead.
func nameOf(place int, method, what string) string {
	const most = 64
	name := strings.Replace(method, ".", "_", 1) + what
	if len(name) > most {
		return fmt.Sprintf("method%d%s", place, what)
	}
	return name
}

// messages are the samples as messages.
func (s *suite) messages(samples []Sample) ([]msgs.Message, error) {
	var list []msgs.Message
	for i, sample := range samples {
		entry := s.entries[key{sample.Method, sample.Reply}]
		if entry == nil {
			return nil, fmt.Errorf("sample %d is of method %d, which contract %s does not have, or which has no reply", i, sample.Method, s.contract.Catalogue.Name)
		}
		of := sample.of(s.contract)
		if have, want := fmt.Sprintf("%T", sample.Values), fmt.Sprintf("%T", of.New()); have != want {
			return nil, fmt.Errorf("sample %d of %s is a %s, and not a %s", i, entry.Name, have, want)
		}
		list = append(list, &values{about: msgs.Descriptor{Catalogue: s.as, Entry: entry}, idBits: s.idBits, of: of, held: sample.Values})
	}
	return list, nil
}
