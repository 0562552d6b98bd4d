package rpc

import (
	"errors"
	"fmt"
)

// What a call or request can end in; see CALLS.md 8. Those that the other side reports and those that are found here are the same.
var (
	ErrNoHandler = errors.New("the other side has bound nothing to the interface")
	ErrState     = errors.New("the session is in none of the states of the method")
	ErrRate      = errors.New("more calls than the rate of the method allows: call less often, give it a burst, or Tick each frame if nobody does")
	ErrMalformed = errors.New("the other side cannot read it: compare the contracts of both")
	ErrBusy      = errors.New("too many requests are not answered yet")
	ErrTarget    = errors.New("no object of this kind has the net id")
	ErrOwner     = errors.New("the object belongs to somebody else")
	ErrDeadline  = errors.New("no answer came in time")
	ErrPanic     = errors.New("the method panicked")
	ErrCancelled = errors.New("cancelled")
	ErrGone      = errors.New("the session has ended")

	// ErrSide is returned for a method that this side runs itself.
	ErrSide = errors.New("this side runs the method: call your own implementation")
	// ErrNotRegistered is returned for a method of a contract that the Calls does not know.
	ErrNotRegistered = errors.New("its contract is not registered: name it in Config.Contracts, or call Register at both sides")
	// ErrNoAudience is returned for a call to an Audience that is empty from the start, such as the zero one.
	ErrNoAudience = errors.New("it is for nobody: the peer is nil, has left, or never joined")
	// ErrDelivery is returned for a call in a mode that its contract does not name.
	ErrDelivery = errors.New("the contract does not allow this delivery: name it in rpc:call delivery=")
	// ErrNoID is returned for a call to net id 0.
	ErrNoID = errors.New("net id 0 is no object: claim an id and send it to the other side first")
	// ErrOne is returned for a request to an Audience of many.
	ErrOne = errors.New("a request is for one: take Calls.To or Calls.Server")
)

// Error is an error that travels: what a handler returns of this type, or wraps, its caller gets, code and text. No other error of a handler leaves the process.
type Error struct {
	Code uint16 // the game's own
	Text string // at most 200 bytes; more is cut
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the other side refused, code %d", e.Code)
	}
	return e.Text
}

// CallError is returned for a call that was not sent. Err is one of this package, what a value is wrong with (a *layout.FieldError), or what the connection returned.
type CallError struct {
	Method string
	Err    error
}

func (e *CallError) Error() string { return fmt.Sprintf("call %s not sent: %v", e.Method, e.Err) }

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// status is how a request ended at who ran it.
type status uint8

const (
	statusDone status = iota
	statusFailed
	statusNoHandler
	statusState
	statusRate
	statusMalformed
	statusBusy
	statusTarget
	statusOwner
	statusDeadline
	statusPanic
	numStatus

	noStatus status = 255 // nothing is answered
)

var statusErrors = [numStatus]error{
	statusNoHandler: ErrNoHandler, statusState: ErrState, statusRate: ErrRate, statusMalformed: ErrMalformed, statusBusy: ErrBusy, statusTarget: ErrTarget,
	statusOwner: ErrOwner, statusDeadline: ErrDeadline, statusPanic: ErrPanic,
}
