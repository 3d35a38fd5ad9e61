// refused: the property 'b' has no number: write @Field(2) in front of it
import MobiusCodec

@FastPayload
struct Value {
    @Field(1) var a: Int
    var b: Int
}
