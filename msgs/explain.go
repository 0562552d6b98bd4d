package msgs

import (
	"errors"
	"fmt"
)

// name is the type of the message, "" if it is not known.
func (in *In) name() string {
	if in.Entry == nil {
		return ""
	}
	return in.Entry.Name
}

// explain says what is wrong with a message that ended in drop.
func (in *In) explain(drop Drop, err error) error {
	switch drop {
	case DropEmpty:
		return fmt.Errorf("%d bytes hold no id", len(in.Raw))
	case DropChannel:
		return fmt.Errorf("no catalogue has messages on channel %d", in.Channel)
	case DropUnknown:
		return errors.New("the catalogue does not have its id; the other side may be newer")
	case DropDirection:
		return errors.New("only this side sends it")
	case DropWrongChannel:
		return fmt.Errorf("came on channel %d, and belongs on %d", in.Channel, in.route.channel)
	case DropDelivery:
		return fmt.Errorf("came %v, and is to be %v", in.Delivery, in.Entry.Delivery)
	case DropSize:
		return fmt.Errorf("has %d bytes, and can have %d to %d", len(in.Raw), in.Entry.MinSize, in.Entry.MaxSize)
	case DropNoHandler:
		return errors.New("nothing handles it")
	case DropState:
		return errors.New("the session is in none of its states")
	case DropSession:
		return errors.New("the session is over")
	}
	return err
}
