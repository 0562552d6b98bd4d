package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gannet-net/gannet/secure"
)

func runDecode(ctx context.Context, con console, args []string) error {
	fs := newFlags("decode", "decode [-key FILE] FILE.pcap | - | HEX", "Says in words what the datagrams of a classic pcap file are, one line each, or those of a hex string.\n"+
		"\"-\" reads the capture from standard input. Malformed datagrams are named as PROTOCOL.md 7 and 21 name their drop counters.\n"+
		"What is sealed stays so without the key log of its sessions, which \"udpecho host -key-log FILE\" writes.")
	keyLog := fs.String("key", "", "`FILE` with the key log of the sessions")
	if err := con.parse(fs, args); err != nil {
		return err
	}
	keys, err := readKeyLog(*keyLog)
	if err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usagef("nothing to decode: give a pcap file, or a datagram in hex")
	}
	if fs.Arg(0) == "-" && fs.NArg() == 1 {
		return decodeCapture(ctx, con, os.Stdin, keys)
	}
	file, err := os.Open(fs.Arg(0))
	if err != nil {
		return decodeHex(con, fs.Args(), err, keys)
	}
	defer file.Close()
	if fs.NArg() > 1 {
		return usagef("one file at a time: unexpected argument %q", fs.Arg(1))
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return usagef("%s is a directory: give a pcap file", fs.Arg(0))
	}
	if err := decodeCapture(ctx, con, file, keys); err != nil {
		return fmt.Errorf("%s: %w", fs.Arg(0), err)
	}
	return nil
}

// readKeyLog reads a key log, if there is one.
func readKeyLog(path string) (*secure.Unsealer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("-key: %w", err)
	}
	keys, err := secure.NewUnsealer(string(text))
	if err != nil {
		return nil, fmt.Errorf("-key %s: %w", path, err)
	}
	return keys, nil
}

// decodeHex decodes one datagram. notFile is why the arguments are no file.
func decodeHex(con console, args []string, notFile error, keys *secure.Unsealer) error {
	text := strings.Join(args, "")
	if strings.ContainsAny(text, "./\\") {
		return notFile
	}
	d, err := parseHex(text)
	if errors.Is(err, hex.ErrLength) {
		return usagef("%q has an odd number of hex digits: two make a byte", strings.Join(args, " "))
	}
	if err != nil {
		return usagef("%q is neither a file (%v) nor hex (%v)", strings.Join(args, " "), errors.Unwrap(notFile), err)
	}
	said, _ := words(d, keys)
	con.printf("%s\n", said)
	return nil
}

// parseHex reads bytes as people write them: with spaces, colons, commas, dashes or a leading 0x.
func parseHex(text string) ([]byte, error) {
	text = strings.NewReplacer("0x", "", " ", "", ":", "", ",", "", "-", "", "\n", "", "\t", "").Replace(text)
	return hex.DecodeString(text)
}

// decoder prints the datagrams of a capture.
type decoder struct {
	out       *bufio.Writer
	first     time.Duration
	datagrams int
	verdicts  [unopened + 1]int
	skipped   [numSkips]int
	keys      *secure.Unsealer // nil if there are none
}

func decodeCapture(ctx context.Context, con console, r io.Reader, keys *secure.Unsealer) error {
	c, err := openCapture(r)
	if err != nil {
		return err
	}
	d := &decoder{out: bufio.NewWriter(con.out), keys: keys}
	for err == nil && ctx.Err() == nil {
		var p packet
		if p, err = c.next(); err == nil {
			d.print(c, p)
		}
	}
	d.summary()
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, d.out.Flush())
}

func (d *decoder) print(c *capture, p packet) {
	if c.count == 1 {
		d.first = p.at
	}
	u, why := datagramIn(c.link, p.data)
	if why != isUDP {
		d.skipped[why]++
		return
	}
	d.datagrams++
	fmt.Fprintf(d.out, "%11.6f  %v > %v  %s\n", (p.at - d.first).Seconds(), u.from, u.to, d.say(u))
}

func (d *decoder) say(u datagram) string {
	if u.missing > 0 {
		return fmt.Sprintf("cut by the capture: %d of %d bytes are there", len(u.payload), len(u.payload)+u.missing)
	}
	said, v := words(u.payload, d.keys)
	d.verdicts[v]++
	return said
}

func (d *decoder) summary() {
	fmt.Fprintf(d.out, "%d datagrams, %d malformed", d.datagrams, d.verdicts[malformed])
	if n := d.verdicts[unopened]; n > 0 {
		fmt.Fprintf(d.out, ", %d sealed and not opened", n)
		if d.keys == nil {
			fmt.Fprint(d.out, ", for which -key needs the key log of their sessions")
		}
	}
	for why, n := range d.skipped {
		if n > 0 {
			fmt.Fprintf(d.out, "; skipped %d packets: %s", n, skipNames[why])
		}
	}
	fmt.Fprintln(d.out)
}
