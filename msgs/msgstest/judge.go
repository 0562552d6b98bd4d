package msgstest

import (
	"bytes"
	"errors"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// enough is how many failures of one sample are reported: the others tend to be the same.
const enough = 5

// malformed tests that each mutant of the sample is refused, or is another message, and that this costs no more memory than its bytes are worth.
func (x *trial) malformed() {
	x.Helper()
	made := mutants(x.layout, x.of, x.bytes)
	failures := 0
	for _, m := range made {
		if complaint := x.judge(m.bytes); complaint != "" {
			x.fail(m.bytes, "with %s, %s", m.name, complaint)
			failures++
		}
		if failures == enough {
			return
		}
	}
	x.boundedMemory(made)
}

// judge decodes b and returns what is wrong with the result, "" if nothing is: Parse and the description are to agree on whether b is a message of this
// type, and if not, why; and what it is encodes to b again.
func (x *trial) judge(b []byte) string {
	m := x.fresh()
	err := parse(m, b)
	walked := x.layout.Walk(x.of, b, nil)
	switch {
	case errors.As(err, new(panicked)):
		return "Parse panics: " + err.Error()
	case err == nil && walked != nil:
		return "Parse takes what the description refuses: " + walked.Error()
	case err == nil:
		return encodesTo(m, b)
	case x.validates && !isOfLayout(err):
		return ""
	case walked == nil:
		return "Parse refuses what the description takes: " + err.Error()
	case !sameReason(err, walked):
		return "Parse refuses it with “" + err.Error() + "”, and the description with “" + walked.Error() + "”"
	}
	return ""
}

// sameReason reports whether the error of Parse is that of Walk: about the same field, because of the same error of package wire, or because of what is left.
func sameReason(err, walked error) bool {
	if errors.Is(walked, layout.ErrUnread) {
		return isUnread(err)
	}
	var e, w *layout.FieldError
	return errors.As(err, &e) && errors.As(walked, &w) && errors.Is(err, w.Err) && e.Message == w.Message && e.Field == w.Field
}

// encodesTo returns what is wrong with m as the message that b was decoded to.
func encodesTo(m msgs.Message, b []byte) string {
	again, err := encode(m, nil)
	switch {
	case err != nil:
		return "what was decoded cannot be encoded: " + err.Error()
	case !bytes.Equal(again, b):
		return "it is taken for a message with other bytes: " + shown(again)
	}
	return ""
}

// isOfLayout reports whether err is about bytes. That of a Validate method is not: the description does not know what it wants.
func isOfLayout(err error) bool { return layout.IsLayoutError(err) || isUnread(err) }

func isUnread(err error) bool {
	var unread *msgs.UnreadError
	return errors.As(err, &unread)
}
