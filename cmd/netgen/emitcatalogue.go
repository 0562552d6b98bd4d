package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// catalogueVar prints the catalogue as static data.
func (g *printer) catalogueVar() {
	text := g.Catalogue.String()
	g.p("// This file needs the library that it was generated for.")
	g.p("const _ = msgs.%s", formName)
	g.p("\n// Catalogue is the messages of this package, protocol %s.", g.Protocol)
	g.p("var Catalogue = msgs.Catalogue{")
	g.p("Name: %q, Protocol: %q, Codec: %s,", g.Name, g.Protocol, g.codecName())
	if g.Codec == layout.Bits {
		g.p("HostIDs: %d, ClientIDs: %d,", g.HostIDs, g.ClientIDs)
	}
	if len(g.States) > 0 {
		g.p("States: []string{%s},", quoted(g.States))
	}
	g.p("Fingerprint: %#x, Description: description,", layout.Fingerprint(text))
	if len(g.messages) > 0 {
		g.p("Entries: []msgs.Entry{")
		for _, m := range g.messages {
			g.entry(m)
		}
		g.p("},")
	}
	g.p("}")
	g.entryConstants()
	g.stateVars()
	g.p("\n// description is the layout of the messages in words, which two sides can compare.")
	g.p("const description = %s", rawString(text))
}

func (g *printer) codecName() string {
	g.use(root + "msgs/layout")
	if g.Codec == layout.Bits {
		return "layout.Bits"
	}
	return "layout.Bytes"
}

func (g *printer) entry(m *message) {
	g.use(root + "transport")
	l := &m.layout
	g.out.WriteString("{")
	fmt.Fprintf(&g.out, "ID: %d, Name: %q, From: %s, Delivery: transport.%s", l.ID, m.name, sides[l.From], deliveryNames[l.Delivery])
	if l.Channel > 0 {
		fmt.Fprintf(&g.out, ", Channel: %d", l.Channel)
	}
	if l.States > 0 {
		fmt.Fprintf(&g.out, ", States: %#b", l.States)
	}
	fmt.Fprintf(&g.out, ", MinSize: %d, MaxSize: %s", m.least, g.maxSize(m))
	if m.ttl > 0 {
		g.use("time")
		fmt.Fprintf(&g.out, ", TTL: %s", duration(m.ttl))
	}
	if m.urgent {
		g.out.WriteString(", Urgent: true")
	}
	g.p("},")
}

func (g *printer) maxSize(m *message) string {
	if m.max == layout.Unlimited {
		return "layout.Unlimited"
	}
	return strconv.Itoa(m.max)
}

var sides = map[layout.Side]string{layout.Client: "msgs.Client", layout.Host: "msgs.Host", layout.Both: "msgs.Both"}

var deliveryNames = map[transport.Delivery]string{
	transport.Unreliable: "Unreliable", transport.Sequenced: "Sequenced", transport.ReliableUnordered: "ReliableUnordered",
	transport.ReliableOrdered: "ReliableOrdered", transport.ReliableSequenced: "ReliableSequenced",
}

// duration is the expression of d, and imports what it needs.
func (g *printer) duration(d time.Duration) string {
	if d > 0 {
		g.use("time")
	}
	return duration(d)
}

// duration is a duration as a person would write it.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}} {
		if d%unit.size == 0 {
			return fmt.Sprintf("%d * time.%s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}

// entryConstants prints where in the catalogue each message is.
func (g *printer) entryConstants() {
	if len(g.messages) == 0 {
		return
	}
	g.p("\n// Places in Catalogue.Entries.\nconst (")
	for i, m := range g.messages {
		if i == 0 {
			g.p("entry%s = iota", m.name)
		} else {
			g.p("entry%s", m.name)
		}
	}
	g.p(")")
}

func (g *printer) stateVars() {
	if len(g.States) == 0 {
		return
	}
	g.p("\n// The states of a session.\nvar (")
	for i, state := range g.States {
		g.p("%s = msgs.State{Catalogue: &Catalogue, Bit: %d}", stateName(state), i)
	}
	g.p(")")
}

func quoted(list []string) string {
	var q []string
	for _, s := range list {
		q = append(q, strconv.Quote(s))
	}
	return strings.Join(q, ", ")
}

// rawString is a literal of several lines that reads as they do. A description has no backquotes.
func rawString(text string) string { return "`" + text + "`" }
