// refused: the case 'b' has no number: write @Field(8) in front of it
import MobiusCodec

@FastPayload
enum Value {
    @Field(7) case a
    case b(Int)
}
