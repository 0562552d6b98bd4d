package secure

import "github.com/gannet-net/gannet/framing/handshake"

// DialError is why a client did not join in time.
type DialError struct {
	Refused    handshake.Code // what the host said last, if anything; anybody on the path could have said it
	Challenged bool           // the host answered, but gave no session
	OtherKey   bool           // a host answered with another key than the one that was dialled, and none with that
}

func (e *DialError) Error() string {
	switch {
	case e.Refused != 0:
		return "secure: the host refused: " + inWords(e.Refused)
	case e.OtherKey:
		return "secure: the host has another key than the one dialled: it was replaced, or somebody stands between"
	case e.Challenged:
		return "secure: the host answered but opened no session: it may have another key than the one dialled, or not take the token"
	}
	return "secure: no answer"
}

// inWords says what a player, or who helps one, can do about a refusal.
func inWords(c handshake.Code) string {
	switch c {
	case handshake.RefusedVersion:
		return "version: it speaks another version of the protocol, so one of the two needs an update"
	case handshake.RefusedExpired:
		return "expired: the token is too old, or a clock is wrong; get a new one"
	case handshake.RefusedToken:
		return "token: it lets in only who has a connect token for it"
	case handshake.RefusedFull:
		return "full: it has no place left"
	}
	return c.String()
}
