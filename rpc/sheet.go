package rpc

import "github.com/gannet-net/gannet/wire"

// sheet is what a frame is written on that is sent, or kept, at once. A method Validate can cause another one to be written meanwhile.
type sheet struct {
	w      wire.BitWriter
	buffer []byte
}

// sheet lends an empty one until putAway.
func (c *Calls) sheet() *sheet {
	if c.written == len(c.sheets) {
		c.sheets = append(c.sheets, new(sheet))
	}
	s := c.sheets[c.written]
	c.written++
	s.w = wire.NewBitWriter(s.buffer[:0])
	return s
}

// putAway takes back the sheet that was lent last. Its bytes are not to be used any more.
func (c *Calls) putAway() {
	c.written--
	s := c.sheets[c.written]
	s.buffer = s.w.Bytes()
}
