package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
)

// requireRuns runs a command that ends well and gives its output.
func requireRuns(t *testing.T, args ...string) string {
	t.Helper()
	r := udpecho(t, args...)
	require.Zero(t, r.code, "%q: %s", args, r.err)
	return r.out
}

// requireFails runs a command that fails at run time, and says so.
func requireFails(t *testing.T, says string, args ...string) {
	t.Helper()
	r := udpecho(t, args...)
	require.Equal(t, exitRuntime, r.code, args)
	require.Contains(t, r.err, says)
}

func TestKeysAreMadeAndShown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.key")
	made := requireRuns(t, "token", "new-key", path)
	require.Regexp(t, `^key gannet-key1:[a-z2-7]{58}\nfingerprint [a-z2-7]{5}(-[a-z2-7]{5}){3}\n$`, made)
	require.Equal(t, made, requireRuns(t, "token", "show", path))
	requireFails(t, "was left alone; \"udpecho token show "+path, "token", "new-key", path)

	path = filepath.Join(t.TempDir(), "token.keys")
	require.Equal(t, "token key id 1\n", requireRuns(t, "token", "new-token-key", path))
	require.Equal(t, "token key id 2\n", requireRuns(t, "token", "new-token-key", path))
	require.Equal(t, "token key id 1\ntoken key id 2\n", requireRuns(t, "token", "show", path))
	requireFails(t, "no such file", "token", "show", path+".missing")
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Chmod(path, 0o644))
		requireFails(t, "chmod 600 "+path, "token", "show", path)
		requireFails(t, "chmod 600 "+path, "token", "issue", "-token-key", path, "-invite", secure.Invite{HostKey: secure.Key{1}, Addresses: []string{"a:1"}}.String())
	}
}

func TestATokenIsIssuedAndInspected(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "token.keys")
	requireRuns(t, "token", "new-token-key", keys)
	requireRuns(t, "token", "new-token-key", keys)
	host := secure.Invite{HostKey: secure.Secret{1}.Public(), Addresses: []string{"play.example.org:7777", "192.0.2.7:7777"}}
	client := secure.Secret{2}.Public()
	line := requireRuns(t, "token", "issue", "-token-key", keys, "-invite", host.String(), "-player", "alice", "-host-name", strings.Repeat("0f", 16),
		"-roles", "3", "-valid", "2h", "-client", client.String(), "-data", "team red")
	require.Regexp(t, `^gannet-pass1:[a-z2-7]+@play\.example\.org:7777,192\.0\.2\.7:7777\n$`, line)

	clear := `^host play\.example\.org:7777, 192\.0\.2\.7:7777, fingerprint ` + host.HostKey.Fingerprint() +
		`\nkey id 2\nexpires 20\d\d-.*Z, in (2h0m0s|1h59m59s)\nsize 169 bytes\n`
	sealed := `issued 20\d\d-.*Z\nhost name (0f){16}\nplayer "alice"\nroles 0x3\nclient ` + client.String() + `\ndata "team red"\n$`
	r := udpecho(t, "token", "inspect", line)
	require.Zero(t, r.code, r.err)
	require.Regexp(t, clear+"$", r.out)
	require.Contains(t, r.err, "-token-key FILE opens it")
	out := requireRuns(t, "token", "inspect", "-token-key", keys, line)
	require.Regexp(t, clear+sealed, out)

	pass, err := secure.ParsePass(line)
	require.NoError(t, err)
	require.NotContains(t, out, hex.EncodeToString(pass.PSK[:]))
	require.Regexp(t, `^key id 2\n`, requireRuns(t, "token", "inspect", hex.EncodeToString(pass.Token)))
}

func TestATokenForAnybodySaysSo(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "token.keys")
	requireRuns(t, "token", "new-token-key", keys)
	requireRuns(t, "token", "new-token-key", keys)
	line := requireRuns(t, "token", "issue", "-token-key", keys, "-key-id", "1", "-host-key", secure.Secret{1}.Public().String(), "-address", "[::1]:7777")
	require.Regexp(t, `@\[::1\]:7777\n$`, line)
	require.Regexp(t, `(?s)key id 1\n.*player ""\nroles 0x0\nclient the first that comes\ndata ""\n$`, requireRuns(t, "token", "inspect", "-token-key", keys, line))
}

func TestTokensThatCannotBeInspectedSayWhy(t *testing.T) {
	dir := t.TempDir()
	keys, others := filepath.Join(dir, "keys"), filepath.Join(dir, "others")
	for _, path := range []string{keys, others} {
		requireRuns(t, "token", "new-token-key", path)
	}
	requireRuns(t, "token", "new-token-key", keys)
	invite := secure.Invite{HostKey: secure.Secret{1}.Public(), Addresses: []string{"a:1"}}.String()
	second := requireRuns(t, "token", "issue", "-token-key", keys, "-invite", invite)
	first := requireRuns(t, "token", "issue", "-token-key", keys, "-key-id", "1", "-invite", invite)
	requireFails(t, "has no key with id 2", "token", "inspect", "-token-key", others, second)
	requireFails(t, "another key has id 1, or the token was changed", "token", "inspect", "-token-key", others, first)
	requireFails(t, "no such file", "token", "inspect", "-token-key", filepath.Join(dir, "none"), first)
	requireFails(t, "a character of a pass is wrong or missing", "token", "inspect", regexp.MustCompile(`1:.`).ReplaceAllString(first, "1:q"))
	requireFails(t, "this is an invite code, where a pass is wanted", "token", "inspect", invite)
	requireFails(t, "not a token", "token", "inspect", "00ff")
	requireFails(t, "only its host can open", "token", "inspect", "-token-key", keys, "01"+strings.Repeat("00", 169))
	r := udpecho(t, "token", "issue", "-token-key", keys, "-key-id", "9", "-invite", invite)
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "-key-id 9: the file has no such key")
	r = udpecho(t, "token", "issue", "-token-key", keys, "-invite", invite, "-data", strings.Repeat("x", 129))
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "129 bytes is more than 128")
}
