package secure

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Reveal gives k as one line that [ParseTokenKeys] reads, such as "gannet-token-key1:", the id, ":" and 58 letters and digits. It belongs into a
// file that only its owner can read, and nowhere else.
func (k TokenKey) Reveal() string { return write(tokenKeyBefore(k.ID), "", k.Key[:]) }

func tokenKeyBefore(id uint32) string {
	return tokenKeyForm.label + strconv.FormatUint(uint64(id), 10) + ":"
}

// ParseTokenKeys reads the token keys that are in force at the same time: one line each, as TokenKey.Reveal gives it. Empty lines, and those
// that begin with "#", do not count. Errors name the line, and do not repeat it.
func ParseTokenKeys(text string) ([]TokenKey, error) {
	var keys []TokenKey
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		k, err := parseTokenKey(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("secure: there is no token key, which begins with \"" + tokenKeyForm.label + "\"")
	}
	return keys, CheckTokenKeys(keys)
}

func parseTokenKey(line string) (TokenKey, error) {
	rest, err := tokenKeyForm.beyond(line)
	if err != nil {
		return TokenKey{}, err
	}
	digits, code, _ := strings.Cut(rest, ":")
	id, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || tokenKeyBefore(uint32(id)) != line[:len(line)-len(code)] {
		return TokenKey{}, errors.New("secure: a token key has its id behind its label, a number and a colon: copy the line again")
	}
	body, err := tokenKeyForm.read(line[:len(line)-len(code)], code, "")
	if err != nil {
		return TokenKey{}, err
	}
	return TokenKey{uint32(id), Secret(body)}, nil
}
