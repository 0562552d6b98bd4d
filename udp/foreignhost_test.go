package udp_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestADialRepeatsItsConnectUntilAForeignHostAnswers(t *testing.T) {
	t.Parallel()
	f, result := landlord(t, quiet())
	connect := []byte("\x01\x0b\x00HRD-LOCAL-1")
	require.Equal(t, connect, f.next())
	require.Equal(t, connect, f.next())
	require.Equal(t, connect, f.next())
	f.sends(says.accept(250))
	f.wants(says.heartbeat())
	f.keeps(<-result)
	require.EqualValues(t, 250, f.lib.ID())
	require.Equal(t, f.addr(), f.lib.RemoteAddr().String())
}

func TestADialBringsItsOwnVersionToAForeignHost(t *testing.T) {
	t.Parallel()
	c := quiet()
	c.Version = strings.Repeat("v", 32)
	f, result := landlord(t, c)
	f.wants(says.connect(c.Version))
	f.sends(says.accept(1))
	f.keeps(<-result)
}

func TestAForeignHostRefusesADial(t *testing.T) {
	t.Parallel()
	for reason, shown := range map[string]string{
		"full":                    "full",
		"version":                 `it speaks another version than "HRD-LOCAL-1": set the same Config.Version on both sides`,
		"":                        "",
		"line\nbell\a":            "linebell",
		strings.Repeat("x", 1197): strings.Repeat("x", 64),
	} {
		f, result := landlord(t, quiet())
		f.wants(says.connect(foreignVersion))
		f.sends(says.refuse(reason))
		require.Equal(t, &transport.RefusedError{Reason: shown}, (<-result).err)
		require.Empty(t, f.rest())
	}
}

func TestOnlyAnAcceptOfTheTableConnects(t *testing.T) {
	t.Parallel()
	f, result := landlord(t, quiet())
	f.wants(says.connect(foreignVersion))
	f.sends(says.accept(0), says.accept(251), says.accept(255), []byte{2}, []byte{2, 1, 1}) // ids that do not exist, other lengths
	f.sends(says.connect(foreignVersion), says.refuse("\xff"), says.disconnect())           // nothing that a client gets, no text, too early
	f.sends(says.unreliable(message("early")), says.reliable(0, message("early")), says.ack(0))
	f.sends(says.accept(9))
	f.wants(says.heartbeat())
	f.keeps(<-result)
	require.EqualValues(t, 9, f.lib.ID())

	f.sends(says.accept(10), says.refuse("too late")) // changes nothing
	f.sends(says.reliable(0, message("again")))
	f.wants(says.ack(0))
	f.receives("again")
	require.EqualValues(t, 9, f.lib.ID())
}

func TestOnlyTheForeignHostThatWasDialledCounts(t *testing.T) {
	t.Parallel()
	f, result := landlord(t, quiet())
	f.wants(says.connect(foreignVersion))
	other := newForeigner(t)
	other.library = f.library
	other.sends(says.refuse("no"), says.accept(5))
	f.sends(says.accept(6))
	f.wants(says.heartbeat())
	f.keeps(<-result)
	other.sends(says.reliable(0, message("forged")), says.disconnect())
	f.sends(says.reliable(0, message("true")))
	f.wants(says.ack(0))
	f.receives("true")
	require.EqualValues(t, 6, f.lib.ID())
	require.Empty(t, other.rest())
}

func TestADialThatAForeignHostDoesNotAnswerTimesOut(t *testing.T) {
	t.Parallel()
	f, result := landlord(t, udp.Config{DialTimeout: 50 * time.Millisecond})
	f.wants(says.connect(foreignVersion))
	err := (<-result).err
	require.Equal(t, &udp.DialTimeoutError{Addr: f.addr(), After: 50 * time.Millisecond}, err)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	f.wants(says.disconnect()) // in case that it was accepted
}

func TestAForeignHostThrowsTheLibraryOut(t *testing.T) {
	t.Parallel()
	f, result := landlord(t, quiet())
	f.lets(result)
	send(t, f.lib, "too much", ordered)
	f.wants(says.reliable(0, message("too much")))
	f.sends(says.disconnect())
	f.wantsEnd(transport.ClosedByPeer)
	require.ErrorIs(t, f.lib.Send(message("more"), ordered), net.ErrClosed)
	var end *transport.DisconnectError
	require.ErrorAs(t, f.lib.Err(), &end)
	require.Equal(t, 1, end.Undelivered)
}
