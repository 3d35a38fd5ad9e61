// refused: the case has 2 values: give each a number, or none
import MobiusCodec

@FastPayload
enum Value {
    @Field(2, values: 1) case a(Int, Int)
}
