// refused: a number stands here in digits
import MobiusCodec

let number = 3

@FastPayload
struct Value {
    @Field(number) var a: Int
}
