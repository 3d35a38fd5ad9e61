// refused: a case with a raw value is known by that, and has no number
import MobiusCodec

@FastPayload
enum Value: String {
    @Field(2) case a
}
