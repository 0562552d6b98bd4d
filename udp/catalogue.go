package udp

import (
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// checkCatalogue judges Catalogue and Mismatched.
func (c Config) checkCatalogue() *ConfigError {
	const whole = ": take all of it from Router.Catalogue of package msgs, or leave it out"
	k := &c.Catalogue
	none := k.Fingerprint == [8]byte{}
	empty := none && k.Description == "" && k.Explain == nil
	switch {
	case c.Protocol == Base && !empty:
		return &ConfigError{"Catalogue", "is not compared on the base protocol, where the version string stands in for it: " +
			"leave this out and set Version to the protocol string of the catalogue, or leave Protocol out for the secure one"}
	case none && !empty:
		return &ConfigError{"Catalogue", "has a Fingerprint of zeros, which is compared with nothing" + whole}
	case empty && c.Mismatched != nil:
		return &ConfigError{"Mismatched", "is never called without a Catalogue: set both or none"}
	case empty:
		return nil
	case k.Description == "":
		return &ConfigError{"Catalogue", "has no Description, so nobody could be told what differs" + whole}
	case len(k.Description) > transport.MaxDescription:
		return &ConfigError{"Catalogue", fmt.Sprintf("has a Description of %d bytes: it must be at most %d", len(k.Description), transport.MaxDescription)}
	case k.Explain == nil:
		return &ConfigError{"Catalogue", "has no Explain, so nobody could be told what differs" + whole}
	}
	return nil
}

// compare gives a session what it needs if its two sides have different catalogues, else nil.
func (e *engine) compare(theirs [8]byte) *exchange {
	mine := e.cfg.Catalogue.Fingerprint
	if none := [8]byte{}; mine == none || theirs == none || mine == theirs {
		return nil
	}
	return &exchange{until: e.now + exchangeTime}
}

// explainDial works out what differs, if that is why the dial failed, before anybody is told. The lock is released meanwhile.
func (e *engine) explainDial() {
	c := e.dial.face
	if c == nil || !c.differs() || c.session.exchange.theirs == "" {
		return
	}
	if _, apart := c.err.(*transport.CatalogueError); !apart {
		return // it goes on, or the application gave it up
	}
	theirs := c.session.exchange.theirs
	c.session.exchange.theirs = ""
	var err error
	e.outside(func() { err = e.cfg.Catalogue.Explain(theirs) }, nil)
	c.err = &transport.CatalogueError{Err: err}
}
