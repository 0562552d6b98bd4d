package secure

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// keyLogLabel begins each line of a key log, with the version of its layout.
const keyLogLabel = "GANNET-1-KEYS-1"

// logKeys writes the line of a session: the label, the client id and the host id in hex, and the keys of epoch 0 to the host and to the client. The
// keys of later epochs follow from them.
func logKeys(w io.Writer, clientID, hostID uint32, keys *trafficKeys) {
	if w != nil {
		fmt.Fprintf(w, "%s %08x %08x %s %s\n", keyLogLabel, clientID, hostID, hex.EncodeToString(keys.toHost[:]), hex.EncodeToString(keys.toClient[:]))
	}
}

// loggedKeys is a line of a key log.
type loggedKeys struct {
	clientID, hostID uint32
	keys             trafficKeys // without the binding
}

var errKeyLog = errors.New("secure: not a line of a key log: one has " + keyLogLabel + ", two ids of 8 and two keys of 64 hex digits")

func parseKeyLogLine(line string) (l loggedKeys, err error) {
	fields := strings.Fields(line)
	if len(fields) != 5 || fields[0] != keyLogLabel {
		return l, errKeyLog
	}
	for i, id := range []*uint32{&l.clientID, &l.hostID} {
		n, err := strconv.ParseUint(fields[1+i], 16, 32)
		if err != nil || len(fields[1+i]) != 8 {
			return l, errKeyLog
		}
		*id = uint32(n)
	}
	for i, key := range []*Secret{&l.keys.toHost, &l.keys.toClient} {
		b, err := hex.DecodeString(fields[3+i])
		if err != nil || len(b) != len(key) {
			return l, errKeyLog
		}
		copy(key[:], b)
	}
	return l, nil
}
