// Package derby is the messages of a home run derby for a host and its friends, and the lobby in which they meet: who plays, who bats, and who gets to see it.
//
// The messages are a catalogue of five families, each in a file of its own: the link test (ping.go), the lobby (lobby.go, player.go), the run (run.go), and what spectators see of an
// at-bat (spectate.go). All travel reliably and in order but AtBatPose. A client talks to the host alone; what others are to see of it the host relays.
//
// # A host
//
//	host, err := derby.NewHost(derby.HostConfig{Version: "1.0", Game: func(m derby.GameMessage) { … }})
//	…
//	host.Router().Pump(server) // once a frame: what has come in
//	host.Router().RunFrame()   // and the messages of the game, which wait for the frame
//	host.Tick(now)             // who does not say Hello in time has to go
//	server.Flush()
//
// Server is whatever gives connections: a *udp.Host, or the Conn of one player in the same process. A udp.Config with host.Router().Catalogue(), and that of the client with its own,
// keeps players out whose messages are others, and tells them which. The host admits who says Hello with the same protocol, tells everybody the roster
// whenever it changes, starts runs, rounds and turns (StartRun, StartRound, StartTurn, EndRound), and waits at two gates until everybody in the roster has read the intro or is done in the shop.
//
// # A client
//
//	client, err := derby.NewClient(derby.ClientConfig{Version: "1.0", Self: derby.PlayerInfo{Name: "Ann"}, Game: func(m derby.GameMessage) { … }})
//
// is driven in the same way, and says Hello as soon as its connection stands. Both are for game loops, and belong to one goroutine, as their routers do.
//
// # Who handles what
//
//	Hello, SetBatter                                     the host
//	Welcome, Refuse, Roster, StartRun                    clients
//	Leave                                                clients end their session; the host closes the connection, and its end removes the player
//	RoundStart, TurnStart, RoundEnd                      clients; the host's own copy goes to HostConfig.Game when it is sent
//	ReadyState, IntroProgress                            likewise
//	PlayFeed                                             the host writes the true sender into it, relays and shows it; clients show it
//	TurnEnd, ShopReady, IntroDone                        the host
//	AtBatBegin, …Pose, …Pitch, …Swing, …Result           the host relays and shows those of the current batter while an inning is played; clients show them
//	Ping, Pong                                           either; they never reach the game
//
// What comes in the wrong direction is dropped and counted by the router (MESSAGES.md 4), and ids that nobody knows as well. What a correct client could send and the lobby
// does not take is counted in Stats.
//
//net:catalogue protocol=DERBY-1 codec=bytes states=joining,lobby,run reserved=17-29,39 nofuzz
package derby

//go:generate go tool netgen

// PlayerID is the number of a player in the roster. 0 is the one at the host.
type PlayerID uint8

// ItemID names a batter, a cosmetic, a park, an upgrade or a type of pitch, in at most 32 bytes.
//
//net:max=32
type ItemID string

// Vec2 is a point of a plane.
type Vec2 struct{ X, Y float32 }

// Vec3 is a point in space, or a direction.
type Vec3 struct{ X, Y, Z float32 }
