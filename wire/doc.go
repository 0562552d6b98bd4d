// Package wire holds the primitives that everything on the wire is made of: values of whole bytes, and values of any number of bits.
//
// # Bytes
//
// [Writer] and the append functions write, [Reader] reads. All integers are little-endian and take exactly their size: 1, 2, 4 or 8 bytes. Signed ones are two's
// complement, floats their IEEE bits. A string is a uint16 length in bytes followed by that many bytes. [AppendString] and [Reader.String] do not look into them,
// and leave it to a format what they have to be; [Writer.Text] and [Reader.Text] take UTF-8 up to a limit.
//
// # Bits
//
// [BitWriter] writes, [BitReader] reads, both without regard to byte borders: bit i of the stream is bit i mod 8 of byte i div 8. Beside integers they have what
// games send most in as few bits as it needs: fixed-point numbers, shares, angles, unit vectors and rotations. MESSAGES.md section 1 says how they are laid out, and
// which widths they have.
//
// # One encoding
//
// Each value has one encoding. What is not the encoding of a value is refused, so whatever is read and written again is the same bytes: a relay may decode, and a
// hash of the bytes is one of the values. That holds for quantized numbers too, if they were kept in a float64 in between; or in a float32, up to the widths that
// MESSAGES.md names. All processors write the same bits for the same floats.
//
// # Failure
//
// A value is never read or written in part, nor cut to what fits. Readers and writers fail at the first value that is not there, or that cannot be, and stay failed, so that a
// caller may go through all fields of a message and ask once, at the end, for Err. The offset is then where that value begins. A writer refuses what a reader would.
// Only a fixed-point number or a share that is out of its range is not refused but clamped, and counted. No float that is not finite is written or read.
//
// A message was read to its end if nothing is left: [Reader.Len] or [BitReader.Unread] is 0.
//
// Nothing here keeps state between calls, panics on any input, allocates to read, or allocates to write where there is room. All functions may be called from any
// goroutine; one reader or writer belongs to one goroutine at a time.
package wire
