package keyfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gannet-net/gannet/secure"
)

const (
	mode     = 0o600
	maxBytes = 64 << 10 // no file of keys is larger
)

// Load reads the private key in a file.
func Load(path string) (secure.Secret, error) {
	text, err := read(path)
	if err != nil {
		return secure.Secret{}, err
	}
	s, err := secure.ParseSecret(text)
	if err != nil {
		return secure.Secret{}, fmt.Errorf("%s holds no private key: %w", path, err)
	}
	return s, nil
}

// Make draws a private key and writes it to a new file. If there is a file of that name already, the error is fs.ErrExist and the file is left alone.
func Make(path string) (secure.Secret, error) {
	s := secure.Secret(random32())
	return s, create(path, s.Reveal()+"\n")
}

// LoadOrMake reads the private key in a file, and makes both if there is no such file.
func LoadOrMake(path string) (secure.Secret, error) {
	s, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if s, err = Make(path); errors.Is(err, fs.ErrExist) { // somebody else was faster
		return Load(path)
	}
	return s, err
}

// LoadTokenKeys reads the token keys in a file.
func LoadTokenKeys(path string) ([]secure.TokenKey, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	keys, err := secure.ParseTokenKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// AddTokenKey draws a token key with the next free id, and appends it to a file, which is made if there is none.
func AddTokenKey(path string) (secure.TokenKey, error) {
	k := secure.TokenKey{ID: 1, Key: random32()}
	err := create(path, k.Reveal()+"\n")
	if !errors.Is(err, fs.ErrExist) {
		return k, err
	}
	keys, err := LoadTokenKeys(path)
	if err != nil {
		return secure.TokenKey{}, err
	}
	for _, other := range keys {
		k.ID = max(k.ID, other.ID+1)
	}
	if k.ID == 1 {
		return secure.TokenKey{}, fmt.Errorf("%s: ids end with that of the last key: begin a new file", path)
	}
	return k, appendTo(path, k.Reveal()+"\n")
}

func random32() (b [32]byte) {
	rand.Read(b[:]) // which never fails
	return b
}

// read reads all of a file that nobody else can.
func read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if err := check(path, info); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxBytes:
		return "", fmt.Errorf("%s is no file of keys: it has more than %d bytes", path, maxBytes)
	case strings.TrimSpace(string(b)) == "":
		return "", fmt.Errorf("%s is empty: another process is making it right now, or was stopped when it did: delete it", path)
	}
	return string(b), nil
}

func check(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory: name a file in it", path)
	case !info.Mode().IsRegular():
		return nil // a pipe, which has no mode that means anything
	}
	return checkMode(path, info.Mode())
}

// create writes a file that must not exist.
func create(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = write(file, text); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// appendTo writes behind what is in a file.
func appendTo(path, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(string(b), "\n") {
		text = "\n" + text
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, mode)
	if err != nil {
		return err
	}
	return write(file, text)
}

// write sees to it that the text is on the disk, since a key that others know must not be lost, and closes the file.
func write(file *os.File, text string) error {
	_, err := file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}
