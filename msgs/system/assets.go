package system

import "github.com/gannet-net/gannet/msgs"

// assetCheck is what a player has proved to have loaded.
type assetCheck struct {
	proved map[GUID]bool
	done   bool
}

// validateAssets compares what a player has loaded with what the server has.
func (s *Server) validateAssets(in *msgs.In, m *ValidateAssets) {
	p := playerOf(in)
	switch {
	case p.gone:
		return
	case !p.Playing(), p.assets.done:
		s.outOfTurn(p)
		return
	case len(s.config.Assets) == 0:
		return // nobody asked
	}
	for i := range m.Assets {
		if !s.knows(&m.Assets[i]) {
			s.end(p, Kicked{ReasonAssets, "an asset is not that of the server"})
			return
		}
		if p.assets.proved == nil {
			p.assets.proved = map[GUID]bool{}
		}
		p.assets.proved[m.Assets[i].ID] = true
	}
	if !m.Last {
		return
	}
	if len(p.assets.proved) < len(s.config.Assets) {
		s.end(p, Kicked{ReasonAssets, "an asset of the server is missing"})
		return
	}
	p.assets = assetCheck{done: true}
}

// knows reports whether an asset is one of the server's.
func (s *Server) knows(a *Asset) bool {
	for i := range s.config.Assets {
		if s.config.Assets[i].ID == a.ID {
			return s.config.Assets[i].Hash == a.Hash
		}
	}
	return false
}

// assetsLate reports whether a player has not reported its assets in time.
func (s *Server) assetsLate(p *Player, now int64) bool {
	return len(s.config.Assets) > 0 && p.Playing() && !p.assets.done && now-p.since >= int64(s.config.AssetTimeout)
}

// Validated reports whether the player has proved that its assets are those of the server.
func (p *Player) Validated() bool { return p.assets.done }
