//go:build !enet

package drivers

import "github.com/gannet-net/gannet/bench/peers/peer"

const enetLeftOut = "enet is left out: it needs cgo, Debian's libenet-dev and the build tag enet"

func enet() []peer.Driver { return nil }
