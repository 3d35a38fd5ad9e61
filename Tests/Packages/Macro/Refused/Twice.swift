// refused: 2 is taken already
import MobiusCodec

@FastPayload
struct Value {
    @Field(2) var a: Int
    @Field(2) var b: Int
}
