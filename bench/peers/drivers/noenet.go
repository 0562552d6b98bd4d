//go:build !enet

package drivers

import "github.com/gannet-net/gannet/bench/peers/peer"

const enetLeftOut = "ENet is left out of this build: it needs cgo, libenet-dev of Debian, and -tags enet."

func enet() []peer.Driver { return nil }
