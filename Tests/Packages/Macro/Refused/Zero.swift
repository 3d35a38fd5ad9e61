// refused: a number is from 1 to 268435455
import MobiusCodec

@FastPayload
struct Value {
    @Field(0) var a: Int
}
