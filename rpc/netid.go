package rpc

import "fmt"

// NetID names an object on both sides (CALLS.md 3). It means one object for ever: when that is released, what is claimed later has another one. 0 is no object.
type NetID uint32

const (
	placeBits      = 20
	generationBits = 10

	maxPlace      = 1<<placeBits - 1
	maxGeneration = 1<<generationBits - 1
	maxSpace      = 3
)

// LevelID is the id of an object that both sides number by themselves, because it comes with the level: in a space of 1 to 3, of a round, 0 to 1,023, that is another one for each time
// that a level is loaded, and with a place of 1 to 1,048,575. It is 0, which no object has, if one of them is not in its range.
func LevelID(space, round, place int) NetID {
	if space < 1 || space > maxSpace || round < 0 || round > maxGeneration || place < 1 || place > maxPlace {
		return 0
	}
	return netID(space, round, place)
}

func netID(space, generation, place int) NetID {
	return NetID(space<<(placeBits+generationBits) | generation<<placeBits | place)
}

func (id NetID) place() int      { return int(id & maxPlace) }
func (id NetID) generation() int { return int(id >> placeBits & maxGeneration) }
func (id NetID) space() int      { return int(id >> (placeBits + generationBits)) }

// Add is the n-th id after id in its block.
func (id NetID) Add(n int) NetID { return id + NetID(n) }

// String gives the 8 hexadecimal digits of id.
func (id NetID) String() string { return fmt.Sprintf("%08x", uint32(id)) }
