package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
)

func TestHelpGoesToStandardOutput(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"--help"}, {"demo", "-h"}, {"host", "-h"}, {"client", "--help"}, {"sim", "-h"},
		{"proxy", "-h"}, {"endure", "-h"}, {"decode", "-h"}, {"token", "-h"}, {"token", "new-key", "-h"}, {"token", "new-token-key", "-h"}, {"token", "show", "-h"},
		{"token", "issue", "-h"}, {"token", "inspect", "-h"}} {
		r := udpecho(t, args...)
		require.Zero(t, r.code, args)
		require.Contains(t, r.out, "usage: udpecho", args)
		require.Empty(t, r.err, args)
	}
}

func TestVersionTellsWhatWasBuiltAndWhatItSpeaks(t *testing.T) {
	for _, name := range []string{"version", "-version", "--version"} {
		r := udpecho(t, name)
		require.Zero(t, r.code, name)
		require.Regexp(t, `^udpecho .+, built with go1\..+, speaks GANNET-1 and HRD-LOCAL-1\n$`, r.out)
	}
}

func TestFlagsWithoutACommandAreSaidToBeTheDemos(t *testing.T) {
	require.Contains(t, udpecho(t, "-listen", ":7777").err, `"udpecho help" lists the commands`)
}

func TestMistakesInTheArgumentsEndWithTwo(t *testing.T) {
	for _, row := range []struct {
		says string
		args []string
	}{
		{"no command \"fly\"", []string{"fly"}},
		{"which form?", []string{"token"}},
		{"no form \"fly\"", []string{"token", "fly"}},
		{"needs one FILE", []string{"token", "new-key"}},
		{"needs one FILE", []string{"token", "show", "a", "b"}},
		{"udpecho token new-token-key FILE", []string{"token", "issue"}},
		{"which host?", []string{"token", "issue", "-token-key", "f"}},
		{"which host?", []string{"token", "issue", "-token-key", "f", "-address", "a:1"}},
		{"leave out -host-key", []string{"token", "issue", "-token-key", "f", "-invite", "x", "-host-key", "y"}},
		{"an invite code begins with", []string{"token", "issue", "-token-key", "f", "-invite", "x"}},
		{"-host-key: secure: a public key begins with", []string{"token", "issue", "-token-key", "f", "-host-key", "x", "-address", "a:1"}},
		{"-client: secure: a public key begins with", []string{"token", "issue", "-token-key", "f", "-client", "x"}},
		{"-valid 0s", []string{"token", "issue", "-token-key", "f", "-valid", "0s"}},
		{"-roles 4294967296", []string{"token", "issue", "-token-key", "f", "-roles", "4294967296"}},
		{"up to 16 bytes", []string{"token", "issue", "-player", "seventeen letters"}},
		{"up to 16 bytes", []string{"token", "issue", "-player", "thirty-two bytes that are no hex"}},
		{"unexpected argument", []string{"token", "issue", "-token-key", "f", "extra"}},
		{"give one line", []string{"token", "inspect"}},
		{"not defined: -fly", []string{"-fly"}},
		{"not defined: -fly", []string{"host", "-fly"}},
		{"unexpected argument", []string{"host", "extra"}},
		{"unexpected argument", []string{"client", "-base", "extra"}},
		{"unexpected argument", []string{"proxy", "-to", "127.0.0.1:1", "extra"}},
		{"unexpected argument", []string{"sim", "extra"}},
		{"unexpected argument", []string{"endure", "extra"}},
		{"-for 0s", []string{"endure", "-for", "0s"}},
		{"-every 2s", []string{"endure", "-for", "1s", "-every", "2s"}},
		{"-rate 4", []string{"endure", "-rate", "4"}},
		{"-clients 0", []string{"endure", "-clients", "0"}},
		{"-loss 101", []string{"endure", "-loss", "101"}},
		{"unexpected argument", []string{"demo", "extra"}},
		{"port 70000", []string{"host", "-listen", "127.0.0.1:70000"}},
		{"not an address", []string{"host", "-listen", "nonsense"}},
		{"port 70000", []string{"client", "-base", "-connect", "127.0.0.1:70000"}},
		{"a port is needed", []string{"client", "-base", "-connect", "127.0.0.1:0"}},
		{"a port is needed", []string{"client", "-base", "-connect", "127.0.0.1:"}},
		{"not an address", []string{"client", "-base", "-connect", "127.0.0.1"}},
		{"-plain \"some\"", []string{"host", "-plain", "some"}},
		{"-version", []string{"host", "-version", "two words"}},
		{"-version", []string{"client", "-base", "-version", ""}},
		{"-max 0", []string{"host", "-max", "0"}},
		{"leave out -base", []string{"client", "-base", "-host-key", "x"}},
		{"leave out -base", []string{"client", "-base", "-key", "f"}},
		{"-invite and -token both say", []string{"client", "-invite", "x", "-token", "y"}},
		{"-invite: secure: an invite code begins with", []string{"client", "-invite", "x"}},
		{"-token: secure: this is a public key, where a pass is wanted", []string{"client", "-token", secure.Key{1}.String()}},
		{"-host-key: secure: a character of a public key is wrong", []string{"client", "-host-key", strings.Replace(secure.Key{1}.String(), ":a", ":b", 1)}},
		{"-size 1048577", []string{"client", "-size", "1048577"}},
		{"-address: secure: address \"x\"", []string{"host", "-address", "x"}},
		{"up to 16 bytes", []string{"host", "-name", "seventeen letters"}},
		{"-max 65001", []string{"host", "-max", "65001"}},
		{"-rate 0", []string{"client", "-base", "-rate", "0"}},
		{"-rate NaN", []string{"client", "-base", "-rate", "NaN"}},
		{"-size 3", []string{"client", "-base", "-size", "3"}},
		{"-size 1196", []string{"client", "-base", "-size", "1196"}},
		{"-size 1200", []string{"client", "-base", "-size", "1200", "-mode", "unreliable"}},
		{"-n 0", []string{"client", "-base", "-n", "0"}},
		{"-timeout", []string{"client", "-base", "-timeout", "0s"}},
		{"base protocol has ordered and unreliable", []string{"client", "-base", "-mode", "sequenced"}},
		{"no such mode", []string{"client", "-base", "-mode", "quick"}},
		{"use -wire secure", []string{"sim", "-mode", "unordered"}},
		{"use -wire secure", []string{"sim", "-reverse-tick"}},
		{"use -wire secure", []string{"sim", "-explain"}},
		{"leave out -json", []string{"sim", "-wire", "secure", "-explain", "-json"}},
		{"-to is needed", []string{"proxy"}},
		{"-loss 101", []string{"proxy", "-to", "127.0.0.1:1", "-loss", "101"}},
		{"-max 0", []string{"proxy", "-to", "127.0.0.1:1", "-max", "0"}},
		{"-loss-back -7", []string{"proxy", "-to", "127.0.0.1:1", "-loss-back", "-7"}},
		{"-delay -1ms", []string{"sim", "-delay", "-1ms"}},
		{"set that too", []string{"sim", "-police", "9000"}},
		{"-bulk 0", []string{"sim", "-bulk", "0"}},
		{"-for 1s", []string{"sim", "-bulk", "1", "-for", "1s"}},
		{"-link 0", []string{"sim", "-bulk", "1", "-link", "0"}},
		{"-step 2000", []string{"sim", "-bulk", "1", "-step", "2000"}},
		{"-loss 51", []string{"sim", "-bulk=1", "-loss", "51"}},
		{"-delay 0s", []string{"sim", "--bulk", "1", "-delay", "0s"}},
		{"-jitter -1ms", []string{"sim", "-bulk", "1", "-jitter", "-1ms"}},
		{"-late -1ms", []string{"sim", "-bulk", "1", "-late", "-1ms"}},
		{"-late 1ms", []string{"sim", "-bulk", "1", "-late", "1ms", "-jitter", "1ms"}},
		{"at least a packet", []string{"sim", "-bulk", "1", "-queue", "1227"}},
		{"at least a packet", []string{"sim", "-bulk", "1", "-police", "1"}},
		{"in place of -queue", []string{"sim", "-bulk", "1", "-police", "9000", "-queue", "9000"}},
		{"use cubic", []string{"sim", "-bulk", "1", "-against", "reno"}},
		{"set -against", []string{"sim", "-bulk", "1", "-flows", "0"}},
		{"-flows 101", []string{"sim", "-bulk", "1", "-flows", "101"}},
		{"such as 12.5ms,50ms", []string{"sim", "-bulk", "1", "-delays", "12ms,"}},
		{"-jitter -1ms", []string{"sim", "-jitter", "-1ms"}},
		{"a number and a unit, such as 5ms", []string{"sim", "-delay", "5"}},
		{"set -loss above 0", []string{"proxy", "-to", "127.0.0.1:1", "-burst", "3"}},
		{"leave out -burst", []string{"sim", "-loss-step", "5", "-burst", "3"}},
		{"Config.Budget 100 to 400", []string{"sim", "-budget", "130"}},
		{"or 0 for a free one", []string{"host", "-listen", "127.0.0.1:70000"}},
		{"nothing to decode", []string{"decode"}},
		{"neither a file", []string{"decode", "0xq"}},
		{"two make a byte", []string{"decode", "060"}},
		{". is a directory", []string{"decode", "."}},
		{"-clients 0", []string{"-clients", "0"}},
		{"-rate -1", []string{"demo", "-rate", "-1"}},
		{"-time", []string{"demo", "-time", "-1s"}},
	} {
		r := udpecho(t, row.args...)
		require.Equal(t, exitUsage, r.code, "%q: %s", row.args, r.err)
		require.Contains(t, r.err, row.says, row.args)
		require.Empty(t, r.out, row.args)
	}
}

func TestFlagsOfAnotherFormNameIt(t *testing.T) {
	for _, args := range [][]string{{"sim", "-link", "20"}, {"sim", "-against", "cubic"}, {"sim", "-step", "5"}} {
		r := udpecho(t, args...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.err, "belongs to udpecho sim -bulk BYTES", args)
		require.Empty(t, r.out, args)
	}
}

func TestProcessKeepsOutputAndErrorsApart(t *testing.T) {
	for _, row := range []struct {
		args []string
		code int
	}{
		{[]string{"decode", "07"}, exitOK},
		{[]string{"decode", "missing.pcap"}, exitRuntime},
		{[]string{"fly"}, exitUsage},
	} {
		r := start(t, row.args...).ends()
		require.Equal(t, row.code, r.code, row.args)
		require.Equal(t, row.code == exitOK, r.out != "", row.args)
		require.Equal(t, row.code != exitOK, r.err != "", row.args)
	}
}

func TestEveryNameInJSONIsDocumented(t *testing.T) {
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	doc, _, _ := strings.Cut(string(source), "package main")
	for _, report := range []any{clientReport{}, simReport{}, demoReport{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(report)) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				require.Regexp(t, `\b`+name+`\b`, doc)
			}
		}
	}
}
