package keyfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
)

// file makes a file with that text and mode.
func file(t *testing.T, text string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestAKeyIsMadeOnceAndThenTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.key")
	_, err := Load(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	made, err := LoadOrMake(path)
	require.NoError(t, err)
	for _, load := range []func(string) (secure.Secret, error){Load, LoadOrMake} {
		loaded, err := load(path)
		require.NoError(t, err)
		require.Equal(t, made.Public(), loaded.Public())
	}
	_, err = Make(path)
	require.ErrorIs(t, err, fs.ErrExist)
	loaded, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, made.Public(), loaded.Public(), "what is there is left alone")

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, made.Reveal()+"\n", string(text))
	if info, err := os.Stat(path); runtime.GOOS != "windows" {
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
	other, err := Make(filepath.Join(t.TempDir(), "other.key"))
	require.NoError(t, err)
	require.NotEqual(t, made.Public(), other.Public())
}

func TestManyWhoMakeAKeyAtOnceHaveOneOrAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.key")
	keys, errs := make([]secure.Secret, 16), make([]error, 16)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() { keys[i], errs[i] = LoadOrMake(path) })
	}
	all.Wait()
	want, err := Load(path)
	require.NoError(t, err)
	for i, err := range errs {
		if err != nil {
			require.ErrorContains(t, err, "another process is making it right now")
			continue
		}
		require.Equal(t, want.Public(), keys[i].Public())
	}
}

func TestMistakesInAKeyFileAreExplained(t *testing.T) {
	good := secure.Secret{1}.Reveal() + "\n"
	for says, text := range map[string]string{
		"is empty":              "",
		"is empty: another":     " \n",
		"was cut short":         good[:40],
		"is followed by":        good[:len(good)-1] + "aaaaaaaa",
		"holds no private key":  "-----BEGIN OPENSSH PRIVATE KEY-----\n",
		"this is a public key":  secure.Key{1}.String(),
		"this is a token key":   secure.TokenKey{ID: 1, Key: secure.Secret{1}}.Reveal(),
		"a character of a priv": strings.Replace(good, "1:a", "1:b", 1),
		"more than 65536 bytes": strings.Repeat("x", 1<<20),
	} {
		path := file(t, text, 0o600)
		_, err := Load(path)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, path)
	}
	_, err := Load(t.TempDir())
	require.ErrorContains(t, err, "is a directory")
	_, err = LoadOrMake(filepath.Join(t.TempDir(), "missing", "key"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAFileThatOthersMayReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing here")
	}
	for _, mode := range []fs.FileMode{0o644, 0o640, 0o604, 0o660, 0o610} {
		path := file(t, secure.Secret{1}.Reveal(), mode)
		_, err := Load(path)
		require.ErrorContains(t, err, "chmod 600 "+path)
		_, err = LoadOrMake(path)
		require.ErrorContains(t, err, "chmod 600 "+path)
		path = file(t, secure.TokenKey{ID: 1, Key: secure.Secret{1}}.Reveal(), mode)
		_, err = LoadTokenKeys(path)
		require.ErrorContains(t, err, "chmod 600 "+path)
		_, err = AddTokenKey(path)
		require.ErrorContains(t, err, "chmod 600 "+path)
	}
	for _, mode := range []fs.FileMode{0o600, 0o400} {
		_, err := Load(file(t, secure.Secret{1}.Reveal(), mode))
		require.NoError(t, err)
	}
}

func TestTokenKeysAreAddedWithANewID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token.keys")
	var added []secure.TokenKey
	for i := range 3 {
		k, err := AddTokenKey(path)
		require.NoError(t, err)
		require.EqualValues(t, i+1, k.ID)
		added = append(added, k)
	}
	loaded, err := LoadTokenKeys(path)
	require.NoError(t, err)
	require.Equal(t, added, loaded)
}

func TestATokenKeyIsAddedToWhatPeopleWrote(t *testing.T) {
	seven := secure.TokenKey{ID: 7, Key: secure.Secret{7}}
	path := file(t, "# in force since May\n"+seven.Reveal(), 0o600) // without an end of line
	k, err := AddTokenKey(path)
	require.NoError(t, err)
	require.EqualValues(t, 8, k.ID)
	loaded, err := LoadTokenKeys(path)
	require.NoError(t, err)
	require.Equal(t, []secure.TokenKey{seven, k}, loaded)

	path = file(t, secure.TokenKey{ID: 1<<32 - 1, Key: secure.Secret{7}}.Reveal(), 0o600)
	_, err = AddTokenKey(path)
	require.ErrorContains(t, err, "begin a new file")
	path = file(t, "nonsense", 0o600)
	_, err = AddTokenKey(path)
	require.ErrorContains(t, err, path+": line 1: ")
	_, err = LoadTokenKeys(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
