package system

// NetID names an object on both sides. 0 is none.
type NetID uint32

// PlayerBlock is how many ids a player has: one for itself and one for each of its parts.
const PlayerBlock = 17

// ItemID is a kind of item. 0 is none.
type ItemID uint32

// GUID names an asset for ever.
//
//net:guid
type GUID [16]byte

// Position is a place in metres, in steps of 1/128, up to 4,096 from the middle: 60 bits.
//
//net:fixed int=13 frac=7
type Position struct{ X, Y, Z float32 }

// Heading is where somebody looks, in degrees: one byte.
//
//net:degrees bits=8
type Heading float32

// Color is a colour.
//
//net:rgb
type Color struct{ R, G, B uint8 }

// Look is what a character looks like.
type Look struct {
	Face, Hair, Beard      uint8
	Skin, HairColor, Paint Color
	LeftHanded             bool
}

// Reason is why a client is not let in, or thrown out.
//
//net:enum
type Reason uint8

// The reasons.
const (
	ReasonOther          Reason = iota // the text says more
	ReasonFull                         // no place, and none in the queue
	ReasonVersion                      // the client is of another version
	ReasonAuthentication               // it could not prove who it is
	ReasonDuplicate                    // somebody with its account is here
	ReasonFiles                        // it asked for a file that there is not
	ReasonAssets                       // its assets are not those of the server
	ReasonTimeout                      // it did not go on
	ReasonInvalid                      // it sent what no client sends
	ReasonShutdown                     // the server is about to end
	ReasonPing                         // the connection is too slow
)
