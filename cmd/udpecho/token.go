package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/secure/keyfile"
)

const tokenHelp = `usage: udpecho token FORM [FLAGS]

Keys, and the tokens by which a matchmaker lets players in.

  new-key FILE           make the private key of a host, or of a client that wants to be known again
  new-token-key FILE     add a key that seals tokens; the issuer and its hosts have the same file
  show FILE              tell the public side of a file of either sort
  issue [FLAGS]          issue a token, as one line for the client: udpecho client -token LINE
  inspect [FLAGS] LINE   tell what such a line says, or a token in hex

"udpecho token FORM -h" lists the flags of a form.
`

func runToken(_ context.Context, con console, args []string) error {
	if len(args) == 0 {
		return usagef("which form? new-key, new-token-key, show, issue or inspect")
	}
	switch form, rest := args[0], args[1:]; form {
	case "-h", "-help", "--help":
		con.printf("%s", tokenHelp)
		return flag.ErrHelp
	case "new-key":
		return newKey(con, rest)
	case "new-token-key":
		return newTokenKey(con, rest)
	case "show":
		return showKeys(con, rest)
	case "issue":
		return issueToken(con, rest)
	case "inspect":
		return inspectToken(con, rest)
	default:
		return usagef("there is no form %q: use new-key, new-token-key, show, issue or inspect", form)
	}
}

// oneFile reads the arguments of a form that takes a file and nothing else.
func oneFile(con console, args []string, form, about string) (path string, err error) {
	fs := newFlags("token "+form, "token "+form+" FILE", about)
	if err := con.parse(fs, args); err != nil {
		return "", err
	}
	if fs.NArg() != 1 {
		return "", usagef("token %s needs one FILE", form)
	}
	return fs.Arg(0), nil
}

func newKey(con console, args []string) error {
	path, err := oneFile(con, args, "new-key", "Makes a private key in a new file that nobody else can read, and tells its public key.")
	if err != nil {
		return err
	}
	key, err := keyfile.Make(path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and was left alone; \"udpecho token show %s\" tells its public key", path, path)
	}
	if err != nil {
		return err
	}
	con.printf("%s", keyWords(key.Public()))
	return nil
}

func keyWords(k secure.Key) string {
	return fmt.Sprintf("key %v\nfingerprint %s\n", k, k.Fingerprint())
}

func newTokenKey(con console, args []string) error {
	path, err := oneFile(con, args, "new-token-key", "Adds a key with a new id to a file that nobody else can read, or begins one. To replace a key: add one, copy the file to\n"+
		"the hosts, issue with it, and delete the old line everywhere when its last token has expired.")
	if err != nil {
		return err
	}
	k, err := keyfile.AddTokenKey(path)
	if err != nil {
		return err
	}
	con.printf("token key id %d\n", k.ID)
	return nil
}

func showKeys(con console, args []string) error {
	path, err := oneFile(con, args, "show", "Tells the public key and the fingerprint of a private key, or the ids of token keys.")
	if err != nil {
		return err
	}
	key, err := keyfile.Load(path)
	if err == nil {
		con.printf("%s", keyWords(key.Public()))
		return nil
	}
	keys, otherErr := keyfile.LoadTokenKeys(path)
	if otherErr != nil {
		return err
	}
	for _, k := range keys {
		con.printf("token key id %d\n", k.ID)
	}
	return nil
}

// issueOptions are the flags of udpecho token issue.
type issueOptions struct {
	keys   string
	id     uint
	host   hostFlags
	claims secure.Claims
	valid  time.Duration
}

func issueToken(con console, args []string) error {
	o := issueOptions{}
	fs := newFlags("token issue", "token issue -token-key FILE -invite CODE [FLAGS]", "Issues a token and prints it as one line, with all that the client needs to join: address and key of the host, and the psk.\n"+
		"Whoever has the line comes in: hand it over where nobody else can read.")
	fs.StringVar(&o.keys, "token-key", "", "`FILE` with the keys; the last one seals")
	fs.UintVar(&o.id, "key-id", 0, "`ID` of the key that seals instead")
	o.host.register(fs)
	fs.name("host-name", &o.claims.Host, "`NAME` that the host has, up to 16 bytes or 32 hex digits")
	fs.name("player", &o.claims.Player, "`NAME` of the player, likewise")
	roles := fs.Uint("roles", 0, "`BITS` whose meaning is the game's")
	fs.DurationVar(&o.valid, "valid", time.Minute, "`TIME` until which the token is taken")
	client := fs.String("client", "", "`KEY` of the one client that may use it; without, that is the first one that does")
	data := fs.String("data", "", "`TEXT` for the game at the host, up to 128 bytes")
	if err := con.parse(fs, args); err != nil {
		return err
	}
	o.claims.Roles, o.claims.UserData = uint32(*roles), []byte(*data)
	switch {
	case o.keys == "":
		return usagef("-token-key is needed: \"udpecho token new-token-key FILE\" makes one")
	case *roles > 1<<32-1:
		return usagef("-roles %d: must be at most 4294967295", *roles)
	case o.valid < time.Second || o.valid > 365*24*time.Hour:
		return usagef("-valid %v: must be from 1s to 8760h", o.valid)
	}
	if err := firstError(fs.noMore(), parseFlag("client", *client, &o.claims.Client, secure.ParseKey)); err != nil {
		return err
	}
	return o.issue(con)
}

func (o *issueOptions) issue(con console) error {
	host, err := o.host.invite()
	if err != nil {
		return err
	}
	keys, err := keyfile.LoadTokenKeys(o.keys)
	if err != nil {
		return fmt.Errorf("-token-key: %w", err)
	}
	key, err := pickKey(keys, o.id)
	if err != nil {
		return err
	}
	o.claims.Issued = time.Now().Unix()
	o.claims.Expires = o.claims.Issued + int64(o.valid/time.Second)
	pass, err := key.IssuePass(rand.Reader, host, o.claims)
	if err != nil {
		return usagef("%v", err)
	}
	con.printf("%s\n", pass.Reveal())
	return nil
}

// pickKey gives the key with that id, the last one if it is 0.
func pickKey(keys []secure.TokenKey, id uint) (secure.TokenKey, error) {
	if id == 0 {
		return keys[len(keys)-1], nil
	}
	for _, k := range keys {
		if uint(k.ID) == id {
			return k, nil
		}
	}
	return secure.TokenKey{}, usagef("-key-id %d: the file has no such key", id)
}

func inspectToken(con console, args []string) error {
	fs := newFlags("token inspect", "token inspect [-token-key FILE] LINE | HEX", "Tells what can be seen of a token without its key, and with it all that the token says. The psk is never shown.")
	file := fs.String("token-key", "", "`FILE` with the key that sealed it")
	if err := con.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return usagef("give one line that \"udpecho token issue\" printed, or one token in hex")
	}
	token, err := con.tokenIn(fs.Arg(0))
	if err != nil {
		return err
	}
	head, err := secure.ReadToken(token)
	if err != nil {
		return err
	}
	con.printf("key id %d\nexpires %s, %s\nsize %d bytes\n", head.KeyID, unixWords(head.Expires), sinceWords(head.Expires), head.Size)
	if *file == "" {
		con.notef("udpecho token inspect: the rest is sealed; -token-key FILE opens it")
		return nil
	}
	return con.claims(token, head.KeyID, *file)
}

// tokenIn finds the token in what people paste, and tells of the rest.
func (c console) tokenIn(text string) ([]byte, error) {
	if token, err := hex.DecodeString(text); err == nil && text != "" {
		return token, nil
	}
	pass, err := secure.ParsePass(text)
	if err != nil {
		return nil, err
	}
	c.printf("host %s, fingerprint %s\n", strings.Join(pass.Addresses, ", "), pass.HostKey.Fingerprint())
	return pass.Token, nil
}

// claims opens a token and tells what it says.
func (c console) claims(token []byte, id uint32, file string) error {
	if id == 0 {
		return errors.New("this is a resume ticket, which only its host can open")
	}
	keys, err := keyfile.LoadTokenKeys(file)
	if err != nil {
		return fmt.Errorf("-token-key: %w", err)
	}
	key, err := pickKey(keys, uint(id))
	if err != nil {
		return fmt.Errorf("%s has no key with id %d, which sealed this token", file, id)
	}
	said, err := key.Open(token)
	if err != nil {
		return err
	}
	client := "the first that comes"
	if said.Client != (secure.Key{}) {
		client = said.Client.String()
	}
	c.printf("issued %s\nhost name %s\nplayer %s\nroles %#x\nclient %s\ndata %q\n",
		unixWords(said.Issued), nameWords(said.Host), nameWords(said.Player), said.Roles, client, said.UserData)
	return nil
}

// sinceWords is how far off a time is.
func sinceWords(unix int64) string {
	d := time.Until(time.Unix(unix, 0)).Round(time.Second)
	if d < 0 {
		return fmt.Sprintf("%v ago", -d)
	}
	return fmt.Sprintf("in %v", d)
}
