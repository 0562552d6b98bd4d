package system

// UpdateReliableBuffer carries bytes that a legacy reader reads, from the next byte border on. See SendLegacy.
//
//net:message id=0 from=host raw
type UpdateReliableBuffer struct{}

// UpdateUnreliableBuffer is UpdateReliableBuffer for what may be lost.
//
//net:message id=1 from=host delivery=unreliable raw
type UpdateUnreliableBuffer struct{}

// HostPingRequest asks a client for an answer with the same time in it.
//
//net:message id=2 from=host delivery=unreliable
type HostPingRequest struct {
	Sent int64 // nanoseconds of the sender's clock
}

// HostPingResponse answers a client's ping.
//
//net:message id=3 from=host delivery=unreliable
type HostPingResponse struct {
	Sent int64 // as it came
}

// Shutdown tells everybody that the server is about to end.
//
//net:message id=4 from=host
type Shutdown struct {
	Seconds uint16 // until the connections are closed
	Text    string `net:"max=200"`
}

// PlayerConnected tells of another player, who is there from now on.
//
//net:message id=5 from=host
type PlayerConnected struct {
	Player  uint16
	Account uint64
	Name    string `net:"max=32"`
	NetID   NetID  // the first of the player's block
	At      Position
	Angle   Heading
	Look    Look
	Admin   bool
}

// PlayerDisconnected tells that a player has left.
//
//net:message id=6 from=host
type PlayerDisconnected struct {
	Player uint16
}

// DownloadWorkshopFiles is a part of the list of the files that a client needs, or of the bytes of one of them.
//
//net:message id=7 from=host
type DownloadWorkshopFiles struct {
	List  bool
	First uint8          `net:"if=List"` // place of Files[0] in the whole list
	Total uint8          `net:"if=List"` // files in the whole list
	Files []WorkshopFile `net:"if=List,max=4"`

	Chunk  bool
	File   uint64 `net:"if=Chunk"`
	Offset uint32 `net:"if=Chunk"`
	Data   []byte `net:"if=Chunk,max=960"`
}

// WorkshopFile describes a file.
type WorkshopFile struct {
	ID   uint64
	Size uint32   // bytes
	Hash [32]byte // SHA-256
}

// Verify asks a client to prove who it is.
//
//net:message id=8 from=host
type Verify struct{}

// Rejected tells a client why it cannot join. The connection ends.
//
//net:message id=10 from=host
type Rejected struct {
	Reason Reason
	Text   string `net:"max=200"`
}

// Banned tells a client that it is banned. The connection ends.
//
//net:message id=11 from=host
type Banned struct {
	Text    string `net:"max=200"`
	Seconds uint32 // that are left; 0 is for ever
}

// Kicked tells a player why it is thrown out. The connection ends.
//
//net:message id=12 from=host
type Kicked struct {
	Reason Reason
	Text   string `net:"max=200"`
}

// Admined tells everybody that a player has the rights of an admin.
//
//net:message id=13 from=host
type Admined struct{ Player uint16 }

// Unadmined tells everybody that a player has them no more.
//
//net:message id=14 from=host
type Unadmined struct{ Player uint16 }

// HostThirdPartyAntiCheat carries what a guard against cheats tells its other half. It exists only where the feature is on.
//
//net:message id=15 from=host delivery=unreliable
type HostThirdPartyAntiCheat struct {
	Data []byte `net:"max=1024"`
}

// QueuePositionChanged tells a client its place in the queue, 1 for who is next.
//
//net:message id=16 from=host
type QueuePositionChanged struct{ Position uint8 }

// HostInvokeMethod calls a method of the client: the bits of its index, and then its arguments. See Server.Invoke.
//
//net:message id=17 from=host raw
type HostInvokeMethod struct{}
