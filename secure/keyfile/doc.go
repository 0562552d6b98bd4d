// Package keyfile keeps the keys of package secure in files of text, which nobody but their owner may read.
//
// A file of a private key holds the one line that secure.Secret.Reveal gives; hosts and clients that want to be known again have one each. A file
// of token keys holds a line for each key in force; the issuer and its hosts have the same. New files get mode 0600. Where the system has such modes, a file
// that others may read or write is refused: its keys may be known already.
//
// To replace a token key: [AddTokenKey] at the issuer, whose last line is the one that it issues with; copy the file to the hosts before it does;
// and delete the old line everywhere once the last token of it has expired.
//
// Functions may be called from any goroutine and process. Two that make the same file at once do not overwrite each other.
package keyfile
