package msgs

import (
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
)

// IfUndefinedRunGoGenerate1 is what generated code refers to, so that code that an older netgen wrote for another form of this package does not compile, and the
// error about the missing name says what to do. The number changes whenever generated code of an older netgen would not do what it should.
const IfUndefinedRunGoGenerate1 = true

// OtherID is what generated code returns for bytes that start with the id of another message.
func OtherID(d Descriptor, id int) error {
	return &layout.FieldError{Message: d.Entry.Name, Err: fmt.Errorf("the bytes start with id %d, its own is %d", id, d.Entry.ID)}
}
