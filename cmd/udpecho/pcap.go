package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// capture reads a file in the classic pcap format, of either byte order and resolution.
type capture struct {
	r      *bufio.Reader
	order  binary.ByteOrder
	second int64 // units of the time stamps in a second
	link   uint32
	count  int // packets read
	buf    []byte
}

// packet is one record of a capture.
type packet struct {
	at   time.Duration // since 1970
	data []byte        // valid until the next one is read
}

const (
	magicMicroseconds = 0xa1b2c3d4
	magicNanoseconds  = 0xa1b23c4d
	magicNG           = 0x0a0d0d0a

	fileHeader   = 24
	recordHeader = 16
	maxPacket    = 1 << 18 // what capture programs write at most

	// linkTypeBits are those of the link type; the upper ones say how long a frame check sequence is.
	linkTypeBits = 0xffff
)

var errPcapNG = errors.New("this is a pcapng file; convert it with: editcap -F pcap IN.pcapng OUT.pcap")

func openCapture(r io.Reader) (*capture, error) {
	var header [fileHeader]byte
	c := &capture{r: bufio.NewReader(r)}
	if n, err := io.ReadFull(c.r, header[:]); n < 4 || err != nil && binary.BigEndian.Uint32(header[:]) != magicNG {
		return nil, fmt.Errorf("not a pcap file: it has only %d bytes", n)
	}
	if err := c.setMagic(header[:4]); err != nil {
		return nil, err
	}
	c.link = c.order.Uint32(header[20:]) & linkTypeBits
	if !linkKnown(c.link) {
		return nil, fmt.Errorf("link type %d is not supported: capture on an Ethernet, loopback, raw IP or \"any\" interface", c.link)
	}
	return c, nil
}

// setMagic learns the byte order and the resolution from the first four bytes.
func (c *capture) setMagic(magic []byte) error {
	if binary.BigEndian.Uint32(magic) == magicNG {
		return errPcapNG
	}
	for _, c.order = range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch c.order.Uint32(magic) {
		case magicMicroseconds:
			c.second = 1e6
			return nil
		case magicNanoseconds:
			c.second = 1e9
			return nil
		}
	}
	return fmt.Errorf("not a pcap file: it begins with %x", magic)
}

// next reads the next packet, io.EOF at the end. A file that ends within a packet, or claims an impossible one, is an error.
func (c *capture) next() (packet, error) {
	var header [recordHeader]byte
	if _, err := io.ReadFull(c.r, header[:]); err == io.EOF {
		return packet{}, io.EOF
	} else if err != nil {
		return packet{}, c.damaged("the file ends within its header")
	}
	size := c.order.Uint32(header[8:])
	if size > maxPacket {
		return packet{}, c.damaged(fmt.Sprintf("it claims %d bytes", size))
	}
	if int(size) > len(c.buf) {
		c.buf = make([]byte, size)
	}
	if n, err := io.ReadFull(c.r, c.buf[:size]); err != nil {
		return packet{}, c.damaged(fmt.Sprintf("the file ends after %d of its %d bytes", n, size))
	}
	c.count++
	seconds, fraction := int64(c.order.Uint32(header[:])), int64(c.order.Uint32(header[4:]))
	return packet{time.Duration(seconds*1e9 + fraction*(1e9/c.second)), c.buf[:size]}, nil
}

func (c *capture) damaged(what string) error {
	return fmt.Errorf("the file is damaged at packet %d: %s", c.count+1, what)
}
