package mutants

// Layouts are the fields of each kind of datagram, PROTOCOL.md 2 and 17, by the byte that they begin with.
var Layouts = map[byte][]Field{
	1:  {kind, {"the length of the version", Length, 2}, {"the version", Bytes, AsSaid}},
	2:  {kind, {"the peer id", Choice, 1}},
	3:  {kind, {"the length of the reason", Length, 2}, {"the reason", Bytes, AsSaid}},
	4:  {kind, payload},
	5:  {kind, sequence, payload},
	6:  {kind, sequence},
	7:  {kind},
	8:  {kind},
	9:  {kind, {"the length of the version", Length, 2}, {"the version", Bytes, AsSaid}, client, random, {"the padding", Bytes, Rest}},
	10: {kind, client, random, cookie, {"the key of the host", Bytes, 32}},
	11: {
		kind, {"the length of the version", Length, 2}, {"the version", Bytes, AsSaid}, client, random, cookie,
		{"the length of the token", Length, 2}, {"the token", Bytes, AsSaid}, {"the ephemeral key", Bytes, 32}, {"the rest of message 1", Bytes, Rest},
	},
	12: {kind, client, {"the ephemeral key", Bytes, 32}, {"the rest of message 2", Bytes, Rest}},
	13: {kind, {"the session", Serial, 4}, {"the number", Serial, 4}, {"the ciphertext", Bytes, Rest}},
	14: {kind, {"the session", Serial, 4}, {"the token of resets", Bytes, 16}},
	15: {kind, client, random, {"the code", Choice, 1}},
}

var (
	kind     = Field{"the kind", Choice, 1}
	payload  = Field{"the payload", Bytes, Rest}
	sequence = Field{"the sequence", Serial, 4}
	client   = Field{"the client id", Serial, 4}
	random   = Field{"the random of the client", Bytes, 8}
	cookie   = Field{"the cookie", Bytes, 20}
)
