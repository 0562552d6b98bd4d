package system

// Accepted lets a client in: who it is and in what state it begins.
//
//net:message id=9 from=host
type Accepted struct {
	Player uint16
	NetID  NetID // the first of the player's block
	Block  uint8 // how many ids it has: PlayerBlock

	At     Position
	Angle  Heading
	Stance Stance

	Name  string `net:"max=32"`
	Group uint64
	Admin bool
	Look  Look

	Shirt, Pants, Hat, Backpack, Vest, Mask, Glasses ItemID

	Health, Food, Water, Stamina, Oxygen, Virus uint8 `net:"max=100"`

	Bleeding, Broken bool

	Experience uint32
	Reputation int32
	Skillset   uint8
	Skills     []uint8 `net:"max=32"` // levels
	Items      []Item  `net:"max=64"`
	HotKeys    []uint8 `net:"max=10"` // places in Items

	Permissions []string `net:"max=8,lenbits=5"`

	Server     string `net:"max=50"`
	Level      string `net:"max=50"`
	MaxPlayers uint16
	Combat     bool // players can hurt one another
	Cheats     bool
	Time       uint32 // of day, in seconds
}

// Stance is how a player stands.
//
//net:enum
type Stance uint8

// The stances.
const (
	Stand Stance = iota
	Crouch
	Prone
	Sprint
	Climb
	Swim
	Drive
	Sit
)

// Item is one that a player carries.
type Item struct {
	ID      ItemID
	Amount  uint8
	Quality uint8 `net:"max=100"`
}
