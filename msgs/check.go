package msgs

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// check finds what would make routes of c ambiguous. Generated catalogues pass.
func (c *Catalogue) check() error {
	var wrong []error
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, problem := range []string{c.checkEntry(e), c.checkPlace(i)} {
			if problem != "" {
				wrong = append(wrong, fmt.Errorf("message %s.%s (id %d) %s", c.Name, e.Name, e.ID, problem))
			}
		}
	}
	return errors.Join(wrong...)
}

// checkEntry says what is wrong with e, "" if nothing is.
func (c *Catalogue) checkEntry(e *Entry) string {
	switch {
	case e.From == 0 || e.From&^Both != 0:
		return "is from no side: say Client, Host or Both"
	case e.Delivery > transport.ReliableSequenced:
		return "has a delivery that does not exist"
	case e.MinSize > e.MaxSize:
		return "has a MinSize above its MaxSize"
	case len(c.States) < 64 && e.States>>len(c.States) != 0:
		return "has states that the catalogue does not have"
	case c.Codec == layout.Bytes && e.ID > 255:
		return "has an id above 255, and codec bytes has one byte for it"
	case c.Codec == layout.Bits && e.From == Both && c.idBits(Host) != c.idBits(Client):
		return fmt.Sprintf("is from both sides, whose ids are %d and %d bits: make hostids and clientids equal", c.idBits(Host), c.idBits(Client))
	}
	return ""
}

// checkPlace says what is wrong with entry i among those before it.
func (c *Catalogue) checkPlace(i int) string {
	e := &c.Entries[i]
	for j := i - 1; j >= 0 && c.Entries[j].ID >= e.ID; j-- {
		before := &c.Entries[j]
		switch {
		case before.ID > e.ID:
			return fmt.Sprintf("stands after id %d: entries have ascending ids", before.ID)
		case c.Codec == layout.Bytes || before.From&e.From != 0:
			return "has the id of " + before.Name
		}
	}
	return ""
}

// idBits is the width of the ids of the messages that side sends (MESSAGES.md 1.2).
func (c *Catalogue) idBits(side Side) int {
	if c.Codec == layout.Bytes {
		return 8
	}
	ids := c.HostIDs
	if side == Client {
		ids = c.ClientIDs
	}
	if ids == 0 {
		for i := range c.Entries {
			if c.Entries[i].From&side != 0 {
				ids = int(c.Entries[i].ID) + 1
			}
		}
	}
	return bits.Len(uint(max(ids-1, 0)))
}
