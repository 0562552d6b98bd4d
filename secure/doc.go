// Package secure holds the secure protocol as pure machines (PROTOCOL.md 16 to 27): the handshake of both sides, tokens, the sealing of packets,
// and the addresses of a session. It has no socket, clock, goroutine or lock, and its randomness comes from the seeds that it is given, so
// that one script of inputs gives one run, bit for bit. Package udp drives it.
//
// # Joining
//
// A [Client] sends what PollDatagram appends until Outcome tells of a session or an error. A [Host] answers each datagram within Handle, and
// Poll gives a session once its client has proved to be there. The [Session] of either side is the Sealer of a reliable.Config: from then on
// datagrams with its id go to the endpoint.
//
// # Addresses
//
// A session is found by its id, wherever a datagram comes from. [Paths] decides at a host where packets go once the peer's address changes, as
// when a NAT forgets or a phone leaves the house: after each datagram that opened tell it by Received, after a PathResponse by Responded; send
// each datagram to Target, and what Poll gives as a challenge of the endpoint; and let a new IP address start the endpoint's estimates anew.
//
// # Who is who
//
// A host has a static key, a [Secret] whose [Key] clients know from an invite or a token. A client may have one too; its [Identity] says
// whether a [TokenKey] vouches for more than that.
//
// # Keys on paper
//
// A [Key], an [Invite] of key and addresses, a [Pass] of invite, token and psk, a [Secret] and a [TokenKey] each have one line of text that is checked
// when it is read, so that a typo is no other key. Files of keys are for package secure/keyfile.
//
// # Captures
//
// What was recorded can be read by whoever has what KeyLogWriter was given: an [Unsealer] does.
//
// # Seeds and keys
//
// Seeds are 32 bytes of crypto/rand, new for each dial and each run of a host: who uses one twice repeats keys. Secrets, and what holds some,
// print as "(secret)".
package secure
