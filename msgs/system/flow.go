package system

import (
	"errors"
	"fmt"
	"slices"
)

// Stage is a step on the way of a client into the game.
type Stage uint8

// The stages. Each Flow ends with StageAccept, after which a client is in StagePlaying.
const (
	StageAuthenticate Stage = iota // the client says who it is, and the server verifies that
	StageFiles                     // the server lists files, and the client gets what it does not have
	StageReady                     // the client asks for a place
	StageQueue                     // it waits for one
	StageVerify                    // the server asks it to authenticate
	StageAccept                    // the server lets it in
	StagePlaying

	numStages = int(StagePlaying) + 1
)

var stageNames = [numStages]string{"authenticate", "files", "ready", "queue", "verify", "accept", "playing"}

// String gives the name of s.
func (s Stage) String() string {
	if int(s) < numStages {
		return stageNames[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// Flow is the order of the stages. Both sides need the same one.
type Flow []Stage

var (
	// PromptFlow authenticates first.
	PromptFlow = Flow{StageAuthenticate, StageFiles, StageQueue, StageAccept}
	// PatientFlow lets clients download and wait before it verifies anybody.
	PatientFlow = Flow{StageFiles, StageReady, StageQueue, StageVerify, StageAuthenticate, StageAccept}
)

// check says what is wrong with f.
func (f Flow) check() error {
	if len(f) == 0 || f[len(f)-1] != StageAccept || !slices.Contains(f, StageAuthenticate) {
		return errors.New("Flow: must contain StageAuthenticate and end with StageAccept")
	}
	for i, s := range f {
		switch {
		case s >= StagePlaying:
			return fmt.Errorf("Flow: %v is no stage on the way", s)
		case slices.Contains(f[:i], s):
			return fmt.Errorf("Flow: stage %v is there twice", s)
		case clientSpeaks(s) && i > 0 && !clientWaits(f[i-1]):
			return fmt.Errorf("Flow: stage %v cannot follow %v, in which the client does not wait for the server: put it first, or behind files, ready or verify",
				s, f[i-1])
		}
	}
	return nil
}

// clientSpeaks reports whether a client sends as soon as it comes to a stage.
func clientSpeaks(s Stage) bool { return s == StageReady || s == StageAuthenticate }

// clientWaits reports whether the server has come to the next stage when a client does.
func clientWaits(s Stage) bool { return s == StageFiles || s == StageVerify || s == StageReady }
