package system

// GetWorkshopFiles tells that a client has all files, or asks for the bytes of one from an offset on. Each such request confirms what is before it.
//
//net:message id=0 from=client
type GetWorkshopFiles struct {
	Done   bool
	Want   bool
	File   uint64 `net:"if=Want"`
	Offset uint32 `net:"if=Want"`
}

// ReadyToConnect asks for a place among the players.
//
//net:message id=1 from=client
type ReadyToConnect struct {
	Version uint32
	Name    string `net:"max=32"`
}

// Authenticate says who the player is, and proves it.
//
//net:message id=2 from=client
type Authenticate struct {
	Version  uint32
	Account  uint64
	Name     string `net:"max=32"`
	Ticket   []byte `net:"max=512"` // for ServerConfig.Verify
	Slot     uint8  // which of its characters
	Skillset uint8
	Look     Look
	Equipped []ItemID `net:"max=16"`
	Language string   `net:"max=16"`
}

// ClientThirdPartyAntiCheat is HostThirdPartyAntiCheat in the other direction.
//
//net:message id=3 from=client delivery=unreliable
type ClientThirdPartyAntiCheat struct {
	Data []byte `net:"max=1024"`
}

// ClientPingRequest asks the server for an answer with the same time in it.
//
//net:message id=4 from=client delivery=unreliable
type ClientPingRequest struct {
	Sent int64 // nanoseconds of the sender's clock
}

// ClientPingResponse answers a ping of the server.
//
//net:message id=5 from=client delivery=unreliable
type ClientPingResponse struct {
	Sent int64 // as it came
}

// ClientInvokeMethod calls a method of the server: the bits of its index, and then its arguments. See Client.Invoke.
//
//net:message id=6 from=client raw
type ClientInvokeMethod struct{}

// ValidateAssets reports the hashes of what a client has loaded, in as many messages as it takes.
//
//net:message id=7 from=client
type ValidateAssets struct {
	Assets []Asset `net:"max=22"`
	Last   bool    // nothing follows
}

// Asset is a thing that must be the same on both sides.
type Asset struct {
	ID   GUID
	Hash [32]byte
}

// GracefullyDisconnect tells that the player leaves, so that its place is free at once.
//
//net:message id=8 from=client
type GracefullyDisconnect struct{}
