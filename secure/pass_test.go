package secure

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAClientJoinsWithAPass(t *testing.T) {
	invite := Invite{hostStatic.Public(), []string{"192.0.2.7:7777"}}
	issued, err := issuerKey.IssuePass(newRandom(9), invite, Claims{Host: hostName, Player: [16]byte{5}, Issued: epoch0, Expires: epoch0 + 60})
	require.NoError(t, err)
	pass, err := ParsePass(issued.Reveal())
	require.NoError(t, err)
	require.Equal(t, issued, pass)

	_, j := meet(t, func(h *HostConfig, c *ClientConfig) {
		h.RequireToken = true
		c.HostKey, c.Token, c.PSK = pass.HostKey, pass.Token, pass.PSK
	}).joined()
	require.Equal(t, [16]byte{5}, j.Identity.Player)
}

func TestAPassIsNotShown(t *testing.T) {
	pass, err := issuerKey.IssuePass(newRandom(9), Invite{Key{1}, []string{"a:1"}}, Claims{Expires: 1})
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q"} {
		require.Equal(t, "(secret)", fmt.Sprintf(verb, pass))
	}
}

func TestMistakesOfAPassAreExplained(t *testing.T) {
	good := Invite{Key{1}, []string{"a:1"}}
	for says, try := range map[string]func() error{
		"needs an address": func() error {
			_, err := issuerKey.IssuePass(newRandom(1), Invite{HostKey: Key{1}}, Claims{Expires: 1})
			return err
		},
		"Claims.Expires": func() error { _, err := issuerKey.IssuePass(newRandom(1), good, Claims{}); return err },
		"ID is 0":        func() error { _, err := TokenKey{}.IssuePass(newRandom(1), good, Claims{Expires: 1}); return err },
		"key of zeros": func() error {
			_, err := ParsePass(Pass{Invite: good, Token: make([]byte, minToken)}.Reveal())
			return err
		},
		"cut short": func() error {
			_, err := ParsePass(Pass{Invite: good, Token: make([]byte, minToken-1)}.Reveal())
			return err
		},
		"something else": func() error { _, err := ParsePass(Pass{Invite: good, Token: make([]byte, 513)}.Reveal()); return err },
	} {
		require.ErrorContains(t, try(), says)
	}
}

func TestTheClearPartOfATokenIsReadWithoutAKeyAndTheRestWithIt(t *testing.T) {
	claims := Claims{Host: hostName, Player: [16]byte{2}, Roles: 3, Issued: 4, Expires: 5, Client: Key{6}, UserData: []byte("u")}
	token, _, err := issuerKey.Issue(newRandom(9), claims)
	require.NoError(t, err)
	head, err := ReadToken(token)
	require.NoError(t, err)
	require.Equal(t, TokenHead{KeyID: 7, Expires: 5, Size: 162}, head)
	read, err := issuerKey.Open(token)
	require.NoError(t, err)
	require.Equal(t, claims, read, "it expired long ago, and can be looked into all the same")

	_, err = ReadToken(token[:100])
	require.ErrorContains(t, err, "not a token")
	_, err = TokenKey{8, issuerKey.Key}.Open(token)
	require.ErrorContains(t, err, "sealed with key id 7, and this is key id 8")
	_, err = TokenKey{7, Secret{1}}.Open(token)
	require.ErrorContains(t, err, "another key has id 7, or the token was changed")
	_, err = issuerKey.Open(nil)
	require.ErrorContains(t, err, "not a token")
}
