package layout

// chat is a description with all that codec Bytes has.
const chat = `catalogue chat protocol CHAT-1 codec bytes
states lobby playing over
message 0 Ping from both delivery unreliable channel 0
message 10 Say from client delivery ordered channel 0 states lobby,over
  Text text max=200
message 11 Score from host delivery reliable-sequenced channel 63
  Team uint8 min=0 max=3
  Runs list max=300
    - int16
message 200 Play from client delivery sequenced channel 2
  Final bool
  Hit bool
  Speed float32 if=Hit
  Spin float64 if=Hit
  Side enum8 values=-1,1
  Pitch enum16 values=0..4,7,300..301
  Base enum32 values=5
  Odds enum64 values=-9223372036854775808,9223372036854775807
  At struct
    X int32 min=-100 max=100
    Y uint32
    Z int8
    Deep array len=2
      - list max=255
        - struct
          There bool
          Name text max=16 if=There
          Id uint64
          Raw blob max=3
  Nothing struct
  Big int64
  Small uint16
  Tail rest
`

// arena is a description with all that codec Bits has.
const arena = `catalogue arena protocol Zuschläge/7-dev codec bits hostids 9 clientids 300
message 0 Look from client delivery unreliable channel 0
  Yaw degrees bits=12
  Pitch radians bits=9
  Aim unit bits=9
  Turn quat bits=9
  Walk yawquat yaw=9 bits=10
  Flat yawunit bits=16
  Push yawvec bits=16
message 0 Spawn from host delivery unordered channel 1
  Kind enum8 values=0..4
  Only enum8 values=0
  Pos vec3 int=13 frac=9
  Fuel unorm bits=8
  Steer snorm bits=8
  Height fixed int=10 frac=0
  Depth ufixed int=10 frac=5
  Paint rgb
  Glow rgba
  Key guid
  Moved bool
  By int bits=5 min=-16 max=15 if=Moved
  Level uint bits=3
  Name text lenbits=5 max=32
  Bytes blob max=100
  Items list max=7
    - struct
      Slot uint bits=4
      Count uint16
`
