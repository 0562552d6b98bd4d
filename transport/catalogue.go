package transport

import "fmt"

// Catalogue is what an application says over its connections: the layout of its messages and calls, which has to be the same on both sides. It is fixed when a
// host listens and a client dials, and compared while they connect, before either application hears of the other. A Router of package msgs gives its own.
type Catalogue struct {
	// Fingerprint stands for Description. Zeros, which no Catalogue but the zero one should have, compare nothing.
	Fingerprint [8]byte
	// Description says the layout in words, in at most MaxDescription bytes. It is sent if the fingerprints differ.
	Description string
	// Explain says what differs between Description and that of the other side, which is whatever that sent. It never returns nil.
	Explain func(theirs string) error
}

// MaxDescription is the size of the largest Catalogue.Description, in bytes.
const MaxDescription = 512 << 10

// CatalogueError is why a connection was not made whose sides have different catalogues. The host and the client each get one.
type CatalogueError struct {
	// Err says what differs, as Catalogue.Explain has it; with package msgs it is a *msgs.MismatchError. It is nil if the other side's description did not come.
	Err error
}

func (e *CatalogueError) Error() string {
	const differ = "the two sides have different catalogues"
	if e.Err == nil {
		return differ + ", and the other one did not describe its own"
	}
	return fmt.Sprintf("%s: %v", differ, e.Err)
}

// Unwrap returns Err.
func (e *CatalogueError) Unwrap() error { return e.Err }
