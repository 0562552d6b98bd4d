package main

import (
	"strings"
)

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
	s.checkMethodNames()
}

// checkMethodNames reports methods of two interfaces that generated code would name alike.
func (s *scanner) checkMethodNames() {
	seen := map[string]*method{}
	for _, m := range s.cat.methods {
		if other := seen[m.id()]; other != nil {
			s.errorf(m.pos, "%s.%s and %s.%s are both %s in generated code: give one another name", other.of.name, other.name, m.of.name, m.name, m.id())
		}
		seen[m.id()] = m
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
