// refused: give each case a line of its own
import MobiusCodec

@FastPayload
enum Value {
    @Field(2) case a, b
}
