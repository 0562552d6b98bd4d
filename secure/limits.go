package secure

import (
	"time"

	"github.com/gannet-net/gannet/internal/rate"
)

// Limits of PROTOCOL.md 18.4 and 22.
var (
	strangersLimit  = rate.Limit{Count: 10_000, Period: time.Second / 10} // Hello and Auth of a host before the cookie: 100,000 a second
	attemptsLimit   = rate.Limit{Count: 5, Period: time.Second / 4}       // Auth of an address after it: 20 a second
	sitesLimit      = rate.Limit{Count: 25, Period: time.Second / 4}      // Auth of an IPv6 site after it: 100 a second
	exchangesLimit  = rate.Limit{Count: 100, Period: time.Second / 5}     // Auth of a host after it: 500 a second
	resetsLimit     = rate.Limit{Count: 100, Period: time.Second / 10}    // Reset of a host: 1,000 a second
	resetsFromLimit = rate.Limit{Count: 4, Period: time.Second}           // Reset to an address
)
