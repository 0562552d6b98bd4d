package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gannet-net/gannet/secure"
)

// hostFlags say which host is meant, and how it is known.
type hostFlags struct {
	code, key, addresses string
}

func (h *hostFlags) register(fs *flags) {
	fs.StringVar(&h.code, "invite", "", "`CODE` of the host, as it prints it")
	fs.StringVar(&h.key, "host-key", "", "`KEY` of the host, in the place of -invite")
	fs.StringVar(&h.addresses, "address", "", "`ADDR` of the host, or several with commas between; goes with -host-key")
}

// invite gives what the flags say.
func (h *hostFlags) invite() (secure.Invite, error) {
	switch {
	case h.code != "" && (h.key != "" || h.addresses != ""):
		return secure.Invite{}, usagef("-invite has the key and the addresses of the host: leave out -host-key and -address")
	case h.code != "":
		i, err := secure.ParseInvite(h.code)
		if err != nil {
			return i, usagef("-invite: %v", err)
		}
		return i, nil
	case h.key == "" || h.addresses == "":
		return secure.Invite{}, usagef("which host? give -invite CODE, or -host-key KEY and -address ADDR")
	}
	i := secure.Invite{Addresses: strings.Split(h.addresses, ",")}
	err := firstError(parseFlag("host-key", h.key, &i.HostKey, secure.ParseKey), i.Check())
	if err != nil {
		return i, usagef("%v", err)
	}
	return i, nil
}

// parseFlag reads the value of a flag, if it was given.
func parseFlag[T any](name, text string, to *T, parse func(string) (T, error)) error {
	if text == "" {
		return nil
	}
	value, err := parse(text)
	if err != nil {
		return usagef("-%s: %v", name, err)
	}
	*to = value
	return nil
}

// name is a flag for a name of 16 bytes.
func (fs *flags) name(name string, to *[16]byte, usage string) {
	fs.Func(name, usage, func(text string) error {
		b := []byte(text)
		if len(text) == 2*len(to) {
			var err error
			if b, err = hex.DecodeString(text); err != nil {
				return errors.New("a name has up to 16 bytes, or is written as 32 hex digits")
			}
		}
		if len(b) > len(to) {
			return errors.New("a name has up to 16 bytes, or is written as 32 hex digits")
		}
		*to = [16]byte{}
		copy(to[:], b)
		return nil
	})
}

// nameWords gives a name as people wrote it, in hex if it is no text.
func nameWords(name [16]byte) string {
	text := strings.TrimRight(string(name[:]), "\x00")
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return fmt.Sprintf("%q", text)
	}
	return hex.EncodeToString(name[:])
}
