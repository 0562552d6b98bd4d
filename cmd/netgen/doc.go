// Netgen writes the code that encodes, checks and sends the messages and the calls of a package.
//
//	go tool netgen [-check] [-schema] [packages]
//
// It is meant to be called by go generate, from the package that declares the messages:
//
//	//net:catalogue protocol=CHAT-1
//	package chat
//
//	//go:generate go tool netgen
//
//	// Say says something.
//	//
//	//net:message id=10 from=both
//	type Say struct {
//		Text string `net:"max=200"`
//	}
//
// and after that
//
//	err := chat.Say{Text: "hello"}.Send(peer)
//
// encodes and sends. Calls are methods of interfaces:
//
//	// DoorServer runs on the server; clients call it.
//	//
//	//rpc:server target=instance
//	type DoorServer interface {
//		//rpc:call from=owner rate=10/s
//		Toggle(c rpc.ServerCall, want Latch) error
//	}
//
// and after that
//
//	err := chat.BindDoorServer(calls, id, &door{})
//	err = chat.DoorRef{ID: id}.Toggle(calls.Server(), chat.Locked)
//
// binds an object at the server, and calls it from a client. Without packages it is the one in the current folder. "go get -tool github.com/gannet-net/gannet/cmd/netgen" makes it a tool of a module.
//
// # Input
//
// MESSAGES.md 2 lists the directives and the words of tags, 1 what becomes of each type; CALLS.md 1 lists those of calls. Beside that:
//
//   - A field is exported or tagged `net:"-"`. Parse leaves alone what is not sent.
//   - Types of fields are declared in the package itself, or are those of the language. int and uint have no size that all machines share: write int32 or uint32.
//   - A type with constants is marked //net:enum. A constant that is no value of it, such as their number, is declared without the type.
//   - The words of a list's tag are about the list where it has them (max, if), else about its items. What both have goes above a type of the item.
//   - A tag replaces what stands above the type: width and form if it has any of those, and each other word by itself.
//   - A raw message gets Descriptor alone: send it by msgs.Target.SendEncoded, and handle it by msgs.OnRaw.
//   - An interface with an rpc: directive and its methods are exported, and each method stands in the interface itself. Other interfaces are left alone.
//   - Parameters and results have the names that the description gives them. One that generated code needs itself, such as to, is called toArg in the method that makes the call.
//   - Interfaces whose names differ in Server and Client alone are called through one reference, such as DoorRef, so no two of their methods have one name.
//   - Directives stand in files that all machines compile, and not in tests.
//
// Whatever does not fit is an error with its place and what to write instead. One run tells all of them, and then writes nothing.
//
// # Output
//
// All of it is committed.
//
//   - znet.go has the variable Catalogue, one for each state (StateLobby for lobby), and for each message the methods Descriptor, Append, Parse and Send. Enums
//     get Valid, and String if there is none. Nothing of it runs before main.
//   - zrpc.go, if there are calls, has the variable Contract, for each interface a function such as BindDoorServer and a type such as DoorRef with a method for each call,
//     and for each request a function such as AnswerDoorServerPrice.
//   - znet_test.go tries samples of all messages with package msgstest, and of all arguments and results with package rpctest. Where Validate refuses the samples, or
//     more are wanted, declare func moreSamples() []msgs.Message or func moreCallSamples() []rpctest.Sample in a test file. It has a fuzz target, unless the catalogue has
//     the word nofuzz: then msgstest.Judge and rpctest.Judge make the checks of that target in one of your own.
//   - netgen.lock is what the messages and methods were (MESSAGES.md 3). It gives methods their ids, and is in the order of time. Netgen appends to it, and never changes a line. After a merge with conflicts in it take either
//     file whole, and run go generate.
//
// The same input gives the same bytes on every machine. Earlier output is never read but for its first line, so that it cannot be in the way, broken or not. When the last directive is gone,
// the Go files go, and the lock stays.
//
// # Staleness
//
// A message, enum, type or method that was changed without go generate does not compile: the error names something called run_go_generate_because_Say_changed. So
// does output of an older netgen that does not fit the library: it names msgs.IfUndefinedRunGoGenerate1. What no compiler can see, such as a constant
// that was added to an enum or a word above a type, is found by
//
//	go tool netgen -check ./...
//
// which writes nothing, names the files that are stale with the first line that differs, and exits with 1. It belongs into CI.
//
// # Schema
//
// With -schema netgen writes nothing and prints the catalogue of each package as one JSON object, for programs in other languages.
//
//	catalogue, protocol, codec, states  as in the directive
//	fingerprint                         of the description, in hexadecimal
//	hostIds, clientIds                  how many ids each side has (codec bits)
//	messages                            by id: id, name, from, delivery, channel, states, ttlNanoseconds, urgent, fields;
//	                                    idBits is the width of the id, minSize and maxSize are bytes with the id, maxSize null without a limit
//	methods                             as in the description, those that clients run first: id, name, at, target, from, deliveries (the first is the default), channel,
//	                                    states, ttlNanoseconds, urgent, rate (count in perNanoseconds, and burst), missing, waitNanoseconds, phase, deadlineNanoseconds;
//	                                    arguments, and results if it is answered, have minBits, maxBits and fields
//	description                         the text of MESSAGES.md 3.1 and CALLS.md 1.1
//
// A field has
//
//	name, kind, type                    kind as in the description, type is the name of its type in Go if it has one
//	if                                  the name of the bool that says whether it is there
//	bits, yawBits, int, frac, lenBits   widths
//	maxLen, len                         most bytes or items, items of an array
//	min, max                            bounds of an integer
//	range                               of a quantized number or its parts: low, high and step, the distance of neighbours
//	values                              of an enum: name and value of each
//	fields, item                        of a struct; of a list or array
//
// What is zero, empty or absent is left out, but for id, channel, and least and most sizes.
//
// The exit status is 0 if all is well, 1 if something was reported but warnings, and 2 for a wrong command line.
package main
