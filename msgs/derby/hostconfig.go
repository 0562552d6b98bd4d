package derby

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// HostConfig says how a lobby is run. Every zero field takes its default. Functions are called from Pump and RunFrame of the router, or from the method of Host that
// caused the call, and may use the Host.
type HostConfig struct {
	// Version is that of the build, for people to read who are refused because of another protocol.
	Version string
	// Self is the player at the host, who gets number 0. Without one nobody plays there, as on a dedicated server.
	Self *PlayerInfo
	// MaxPlayers is how many there may be, Self among them: 1 to 255, 16 by default. The roster must also fit into one message of each connection.
	MaxPlayers int
	// MaxDecoys is how many decoys a pitch may have: 1 to 255, 16 by default. Others are dropped.
	MaxDecoys int

	// HelloWithin is how long a connection may take to say Hello before Host.Tick refuses it: 10 s by default.
	HelloWithin time.Duration

	// Admit, if not nil, may refuse a client with a reason for people to read; "" admits it. Of a name nothing is known but that it is UTF-8 of at most 64 bytes.
	Admit func(*Hello) (refusal string)
	// Roster is called when it has changed, after everybody was told. The slice is valid until the next change.
	Roster func([]PlayerInfo)
	// Game gets the game's messages: those of clients that the host acts on, and its own copy of each that it sends by a method of Host.
	Game func(GameMessage)
	// IntroOver is called when everybody has read the intro, and ShopOver when everybody is done in the shop.
	IntroOver, ShopOver func()

	// Also is catalogues beside this one, such as those of calls. Clients have the same. Channel 0 is taken.
	Also []msgs.Mount

	// Clock gives nanoseconds, and has to be the clock of the connections. Only Ping needs it.
	Clock func() int64
	// Logger gets what an operator should know. The default discards it.
	Logger *slog.Logger
}

// complete puts in the defaults and checks the rest.
func (c *HostConfig) complete() error {
	setDefault(&c.MaxPlayers, 16)
	setDefault(&c.MaxDecoys, 16)
	setDefault(&c.HelloWithin, 10*time.Second)
	switch {
	case c.HelloWithin < 0:
		return fmt.Errorf("derby: HelloWithin is %v: set it above 0, or leave it out for 10s", c.HelloWithin)
	case c.MaxPlayers < 1 || c.MaxPlayers > 255:
		return fmt.Errorf("derby: MaxPlayers is %d: set it to 1 to 255, or leave it out for 16", c.MaxPlayers)
	case c.MaxDecoys < 1 || c.MaxDecoys > 255:
		return fmt.Errorf("derby: MaxDecoys is %d: set it to 1 to 255, or leave it out for 16", c.MaxDecoys)
	case c.Self != nil:
		if _, err := (&Roster{Players: []PlayerInfo{*c.Self}}).Append(nil); err != nil {
			return fmt.Errorf("derby: Self: %w", err)
		}
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
