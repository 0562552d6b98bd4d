// Package codecs measures the messages of gannet beside encoding/json, encoding/gob, protobuf and MessagePack (tinylib/msgp), for a pose of 40 bytes and a
// result of 100: bytes on the wire, nanoseconds and allocations of encoding and decoding. README.md says what came out.
//
// It is a module of its own, so that nobody who uses gannet downloads the others.
package codecs
