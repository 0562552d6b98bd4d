// Package layout describes the messages of a catalogue: their ids, how they are delivered, and what each of their fields is on the wire
// (MESSAGES.md 1). A description is data, so that the parts that have to agree about bytes can be held against one another: the
// generator makes it from Go types, two peers compare theirs, and tests interpret it to check generated code.
//
// # Text
//
// [Catalogue.String] writes a description as text for people and for diffs (MESSAGES.md 3), and [Parse] reads it. A description has one
// text: what Parse takes, String writes again byte for byte, so that [Fingerprint] of the text stands for the layout. Parse is for text
// of strangers as well: it is strict, and its work and memory are bounded by [MaxText].
//
// # Use
//
// [Compare] names what differs between two descriptions. [Catalogue.Walk] reads a message by its description, without generated code, to
// dump it in words or to find the field that made it malformed; [Catalogue.Sizes] says how long it can be.
//
// Nothing here keeps state between calls. A Catalogue that nobody changes may be used from any goroutine.
package layout
