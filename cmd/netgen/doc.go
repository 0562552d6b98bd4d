// Netgen writes the code that encodes, decodes and sends the messages of a package.
package main
