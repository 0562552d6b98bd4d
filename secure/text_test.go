package secure

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written is a text form with the function that reads it.
type written struct {
	text string
	read func(text string) (again string, err error)
}

// writings are one text of each form, from random bytes.
func writings(t testing.TB, random *rand.ChaCha8) map[string]written {
	var bytes [32]byte
	draw(random, bytes[:])
	invite := Invite{Key(bytes), []string{"play.example.org:7777", "192.0.2.7:7777", "[2001:db8::7]:443"}}
	pass, err := TokenKey{7, Secret(bytes)}.IssuePass(random, invite, Claims{Issued: 1, Expires: 2, UserData: []byte("data")})
	require.NoError(t, err)
	return map[string]written{
		"key":       {Key(bytes).String(), func(s string) (string, error) { k, err := ParseKey(s); return k.String(), err }},
		"secret":    {Secret(bytes).Reveal(), func(s string) (string, error) { k, err := ParseSecret(s); return k.Reveal(), err }},
		"token key": {TokenKey{7, Secret(bytes)}.Reveal(), readTokenKey},
		"invite":    {invite.String(), func(s string) (string, error) { i, err := ParseInvite(s); return i.String(), err }},
		"pass":      {pass.Reveal(), func(s string) (string, error) { p, err := ParsePass(s); return p.Reveal(), err }},
	}
}

func readTokenKey(text string) (string, error) {
	keys, err := ParseTokenKeys(text)
	if err != nil {
		return "", err
	}
	return keys[0].Reveal(), nil
}

func TestWhatIsWrittenDownIsReadAgain(t *testing.T) {
	random := newRandom(1)
	for range 200 {
		for name, w := range writings(t, random) {
			for _, text := range []string{w.text, " \t" + w.text + "\r\n"} {
				again, err := w.read(text)
				require.NoError(t, err, name)
				require.Equal(t, w.text, again, name)
			}
		}
	}
}

func TestEachChangedCharacterIsRefused(t *testing.T) {
	characters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:@,.-#=[]_/ \n\x00\x80é"
	for name, w := range writings(t, newRandom(2)) {
		for i := range w.text {
			for _, c := range characters {
				if changed := w.text[:i] + string(c) + w.text[i+1:]; changed != w.text {
					_, err := w.read(changed)
					require.Error(t, err, "%s: %q", name, changed)
				}
			}
		}
	}
}

func TestSwappedMissingAndDoubledCharactersAreRefused(t *testing.T) {
	for name, w := range writings(t, newRandom(3)) {
		for i := range w.text[1:] {
			swapped := w.text[:i] + w.text[i+1:i+2] + w.text[i:i+1] + w.text[i+2:]
			for _, changed := range []string{swapped, w.text[:i] + w.text[i+1:], w.text[:i] + w.text[i:i+1] + w.text[i:], w.text[:i]} {
				if changed != w.text {
					_, err := w.read(changed)
					require.Error(t, err, "%s: %q", name, changed)
				}
			}
		}
		_, err := w.read(w.text + w.text)
		require.Error(t, err, name)
		_, err = w.read(strings.ToUpper(w.text))
		require.Error(t, err, name)
	}
}

func TestWhatIsWrittenDownLooksLikeThis(t *testing.T) {
	k := Key{0: 0xA0, 31: 1}
	require.Equal(t, "gannet-key1:uaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3kpgnya", k.String())
	require.Equal(t, k.String(), fmt.Sprint(k))
	require.Equal(t, "gannet-invite1:uaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2h6nxwi@play.example.org:7777",
		Invite{k, []string{"play.example.org:7777"}}.String())
	require.Equal(t, "gannet-token-key1:7:uaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3eho7l4", TokenKey{7, Secret(k)}.Reveal())
	require.Regexp(t, `^gannet-secret1:[a-z2-7]{58}$`, Secret(k).Reveal())
}

func TestAFingerprintIsShortAndTellsKeysApart(t *testing.T) {
	require.Equal(t, "6bhl5-pkz6r-gdxsp-wwxst", Key{0: 0xA0, 31: 1}.Fingerprint())
	seen := map[string]bool{}
	for i := range 256 * 8 {
		k := Key{0: 0xA0, 31: 1}
		k[i/8%32] ^= 1 << (i % 8)
		f := k.Fingerprint()
		require.Regexp(t, `^[a-z2-7]{5}(-[a-z2-7]{5}){3}$`, f)
		seen[f] = true
	}
	require.Len(t, seen, 256)
}

func TestMistakesInATextAreExplained(t *testing.T) {
	k := Key{1}.String()
	code := k[len(keyForm.label):]
	line := func(id string) string { return write("gannet-token-key1:"+id+":", "", make([]byte, 32)) }
	for _, c := range []struct{ says, text string }{
		{`a public key begins with "gannet-key1:"`, ""},
		{`a public key begins with "gannet-key1:"`, code},
		{`this is a private key, where a public key is wanted`, Secret{1}.Reveal()},
		{`this is an invite code, where a public key is wanted`, Invite{Key{1}, []string{"a:1"}}.String()},
		{`of a version that this program does not know: update the program`, "gannet-key2:" + code},
		{`of a version that this program does not know: update the program`, "gannet-key17:xyz"},
		{`begins with "gannet-key1:"`, "gannet-key:" + code},
		{`was cut short: copy the whole line`, k[:len(k)-1]},
		{`was cut short: copy the whole line`, keyForm.label},
		{`is followed by something else`, k + "aaaaaaaa"},
		{`a character of a public key is wrong or missing`, k[:20] + "x" + k[21:]},
		{`and not 'A': copy the line again`, k[:20] + "A" + k[21:]},
		{`and not '0': copy the line again`, k[:20] + "0" + k[21:]},
		{`a key of zeros is none`, Key{}.String()},
	} {
		_, err := ParseKey(c.text)
		require.ErrorContains(t, err, c.says, c.text)
	}
	for says, text := range map[string]string{
		"line 3: secure: a token key begins with":           "# both\n\nnonsense",
		"there is no token key":                             "# none\n",
		"line 1: secure: a token key has its id behind its": "gannet-token-key1:" + code,
		"line 2: secure: a character of a token key":        TokenKey{1, Secret{1}}.Reveal() + "\n" + strings.Replace(TokenKey{2, Secret{2}}.Reveal(), ":2:", ":3:", 1),
		"ID 0":                    TokenKey{0, Secret{1}}.Reveal(),
		"a Key of zeros":          line("5"),
		"two TokenKeys have":      TokenKey{1, Secret{1}}.Reveal() + "\n" + TokenKey{1, Secret{2}}.Reveal(),
		"a number and a colon":    line("05"),
		"a number and a colon: c": line("4294967296"),
	} {
		_, err := ParseTokenKeys(text)
		require.ErrorContains(t, err, says)
	}
	for _, text := range []string{Secret{1}.Reveal() + "x", k, "hunter2"} {
		_, err := ParseSecret(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2", "errors do not repeat what may be a secret")
	}
}

func TestSeveralTokenKeysAreInForceAtOnce(t *testing.T) {
	keys := []TokenKey{{8, Secret{8}}, {7, Secret{7}}}
	read, err := ParseTokenKeys("# from May on\n" + keys[0].Reveal() + "\n\n  " + keys[1].Reveal() + "\r\n")
	require.NoError(t, err)
	require.Equal(t, keys, read)
}

func TestInvitesHaveAddressesThatOthersCanDial(t *testing.T) {
	for address, says := range map[string]string{
		"play.example.org:7777":          "",
		"localhost:1":                    "",
		"my_host-1.example.:65535":       "",
		"192.0.2.7:7777":                 "",
		"[2001:db8::7]:7777":             "",
		"4game.example:7777":             "",
		"":                               "a port from 1 to 65535 is needed",
		"play.example.org":               "a port from 1 to 65535 is needed",
		"play.example.org:":              "a port from 1 to 65535 is needed",
		"play.example.org:0":             "a port from 1 to 65535 is needed",
		"play.example.org:65536":         "a port from 1 to 65535 is needed",
		"play.example.org:07777":         "a port from 1 to 65535 is needed",
		"play.example.org:+7777":         "a port from 1 to 65535 is needed",
		":7777":                          "neither a name nor an IP address",
		"192.0.2:7777":                   "neither a name nor an IP address",
		"192.0.2.256:7777":               "neither a name nor an IP address",
		"2001:db8::7:7777":               "neither a name nor an IP address",
		"two words:7777":                 "neither a name nor an IP address",
		"user@example.org:7777":          "neither a name nor an IP address",
		"a..b:7777":                      "neither a name nor an IP address",
		strings.Repeat("a", 254) + ":1":  "neither a name nor an IP address",
		"0.0.0.0:7777":                   "nobody else can dial that",
		"[::]:7777":                      "nobody else can dial that",
		"[fe80::1%eth0]:7777":            "nobody else can dial that",
		"play.example.org:7777,b.org:80": "neither a name nor an IP address",
	} {
		err := Invite{Key{1}, []string{address}}.Check()
		if says == "" {
			require.NoError(t, err, address)
			continue
		}
		require.ErrorContains(t, err, says, address)
		_, err = ParseInvite(Invite{Key{1}, []string{address}}.String())
		if address != "play.example.org:7777,b.org:80" && address != "user@example.org:7777" {
			require.ErrorContains(t, err, says, "%q: checked when it is read, too", address)
		}
	}
	require.ErrorContains(t, Invite{}.Check(), "key of zeros")
	require.ErrorContains(t, Invite{HostKey: Key{1}}.Check(), "needs an address")
	require.ErrorContains(t, Invite{Key{1}, make([]string, 9)}.Check(), "at most 8")
	_, err := ParseInvite(inviteForm.label + Key{1}.String())
	require.ErrorContains(t, err, "cut short")
}
