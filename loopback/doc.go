// Package loopback gives two connected [transport.Conn] in one process, with the promises of udp and no network: single-player games, the
// local player of a listen server, and tests run over it without a change.
//
// Nothing is lost, late or reordered. Send copies the message into the queue of the other end and never calls its code, so that a
// handler may answer at once, to any depth, without recursion. Messages wait there until they are read, up to
// [Config.QueueMessages] and [Config.QueueBytes]; then Send returns [transport.ErrQueueFull]. An Unreliable or Sequenced message pushes out
// the oldest unread messages of these modes instead, if that is enough to make room.
//
// All five delivery modes and all 64 channels are there, for messages up to 1 MiB in reliable modes and 64 KiB in the others. A message never waits
// to be sent, so Urgent, TTL and ReplaceKey change nothing, and Flush has nothing to do. A receipt is answered with Delivered at once. A lossy message
// with a receipt is never pushed out, or that answer would become wrong.
//
// # Closing
//
//	cause          events at the end that acted                  events at the other end
//	Close, Abort   outcomes, Disconnected (ClosedLocally)         everything unread, Disconnected (ClosedByPeer)
//	Kick           outcomes, Disconnected (Kicked)                everything unread, Disconnected (ClosedByPeer, code and text)
//
// The other end already has what was sent, so Close waits for nothing, Abort does the same as Close, and both discard
// the messages that their own end has not read. If both ends act, the first cause counts.
//
// # Driving
//
// Each end is driven by a game loop or in the background. Without a handler there is no goroutine; with one there is one for each
// end that has it, from Pipe until the Disconnected event was handled. Next returns what was there at the last Poll, so a frame's
// loop over Next ends however fast the other end answers. All methods may be called from any goroutine in both styles, but the
// payloads of a game loop are lent until the next Poll, whoever calls it.
package loopback
