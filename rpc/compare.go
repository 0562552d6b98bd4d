package rpc

import (
	"fmt"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// Description is those of all contracts, in the order in which they were registered: what two sides have to agree on.
func (c *Calls) Description() string {
	var b strings.Builder
	for _, k := range c.contracts {
		b.WriteString(k.Catalogue.Description)
	}
	return b.String()
}

// Fingerprint stands for Description, as that of a catalogue does for its own. Two sides whose fingerprints differ understand each other's calls wrongly, or not at all.
func (c *Calls) Fingerprint() uint64 { return layout.Fingerprint(c.Description()) }

// maxDescriptions is how many contracts Compare reads.
const maxDescriptions = 64

// Compare says in words how the Description of the other side differs from that of this side: contracts that only one has or that stand in another order, and the methods and arguments that differ. It may be
// text of a stranger.
func (c *Calls) Compare(theirs string) ([]string, error) {
	parts := split(theirs)
	if len(parts) > maxDescriptions {
		return nil, fmt.Errorf("rpc: a description of more than %d contracts", maxDescriptions)
	}
	var found []string
	seen := map[string]bool{}
	for i, part := range parts {
		other, err := layout.Parse(part)
		if err != nil {
			return nil, fmt.Errorf("rpc: contract %d: %w", i, err)
		}
		k := c.named(other.Name)
		seen[other.Name] = true
		if k == nil {
			found = append(found, fmt.Sprintf("contract %s: missing here, registered there", other.Name))
			continue
		}
		if place := c.place(k); place != i {
			found = append(found, fmt.Sprintf("contract %s: registered as number %d here, %d there", other.Name, place+1, i+1))
		}
		mine, err := k.Catalogue.Layout()
		if err != nil {
			return nil, err
		}
		for _, d := range layout.Compare(mine, other) {
			found = append(found, "contract "+other.Name+", "+d.String())
		}
	}
	for _, k := range c.contracts {
		if !seen[k.Catalogue.Name] {
			found = append(found, fmt.Sprintf("contract %s: registered here, missing there", k.Catalogue.Name))
		}
	}
	return found, nil
}

// split cuts descriptions that follow one another apart.
func split(text string) (parts []string) {
	const head = "catalogue "
	for text != "" && len(parts) <= maxDescriptions {
		end := strings.Index(text, "\n"+head)
		if end < 0 {
			return append(parts, text)
		}
		parts, text = append(parts, text[:end+1]), text[end+1:]
	}
	return parts
}

func (c *Calls) named(name string) *contract {
	for _, k := range c.contracts {
		if k.Catalogue.Name == name {
			return k
		}
	}
	return nil
}

func (c *Calls) place(k *contract) int {
	for i := range c.contracts {
		if c.contracts[i] == k {
			return i
		}
	}
	return -1
}
