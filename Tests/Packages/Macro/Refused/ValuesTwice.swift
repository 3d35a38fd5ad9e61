// refused: 1 is taken already
import MobiusCodec

@FastPayload
enum Value {
    @Field(2, values: 1, 1) case a(Int, Int)
}
