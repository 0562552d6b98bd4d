package system

// ReplicateConfig is the part of the server's configuration by which both sides compute.
//
//net:message id=18 from=host
type ReplicateConfig struct {
	Damage    DamageConfig
	Events    EventConfig
	Spawns    SpawnConfig
	Inventory InventoryConfig
	Buildings BuildingConfig
	Loot      LootConfig
}

// DamageConfig are factors of damage, 1 for as it is.
type DamageConfig struct {
	Player, Creature, Animal, Vehicle, Building, Resource float32

	Headshot float32
	Fall     float32
}

// EventConfig are times of what happens by itself, in seconds, but for the factors.
type EventConfig struct {
	RainFirst, RainLast     float32 // bounds of the time between two rains
	AirdropEvery            float32
	AirdropSpeed            float32 // metres a second
	ArenaMinPlayers         uint8
	ArenaClear              float32 // from the end of a round to the next one
	ArenaFinale, ArenaLobby float32
	CompactorSpeed          []float32 `net:"max=8"` // of each stage of the closing ring, metres a second
	CompactorDelay          float32
	CompactorDamage         float32
}

// SpawnConfig is how much appears and when.
type SpawnConfig struct {
	Creatures, Animals, Vehicles float32 // share of the places that are taken, 0 to 1
	RespawnSeconds               uint16
	KeepItems                    bool
	Protection                   float32 // seconds in which a new player cannot be hurt
}

// InventoryConfig are factors of what players use up, and what they can carry.
type InventoryConfig struct {
	FoodUse, WaterUse, StaminaUse, Wear float32

	Width, Height  uint8
	CraftAnywhere  bool
	LoseSkillShare float32 // 0 to 1
}

// BuildingConfig are limits on what players build.
type BuildingConfig struct {
	PerPlayer, PerGroup uint16
	Range               float32 // metres from a claim
	Decay               uint32  // seconds until what nobody visits is gone; 0 is never
	Armour              float32 // factor of damage
}

// LootConfig is what lies around: the chance of each class of items, 0 to 1, and how it is.
type LootConfig struct {
	Chance         []float32 `net:"max=16"`
	QualityFull    float32
	RespawnSeconds uint16
	DespawnDropped uint16 // seconds
}
