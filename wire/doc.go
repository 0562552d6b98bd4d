// Package wire holds the byte primitives that everything on the wire is made of: append functions for writing, and
// [Reader], a cursor for reading.
//
// # Encoding
//
// All integers are little-endian and take exactly their size: 1, 2, 4 or 8 bytes. Signed ones are two's complement. A
// string is a uint16 length in bytes followed by that many bytes. Package wire does not look into them: whether they have to be
// UTF-8, and how long they may be, is for the format to say that uses them.
//
// Each value has one encoding, so reading a value and appending it again gives the same bytes.
//
// # Short input
//
// A value that does not fit into what is left is never read in part. The Reader fails at that value and stays failed, so that
// a caller may read all fields of a message and ask once, at the end, whether all of them were there.
//
// Nothing here keeps state between calls or panics on any input. All functions may be called from any goroutine; one
// Reader belongs to one goroutine at a time.
package wire
