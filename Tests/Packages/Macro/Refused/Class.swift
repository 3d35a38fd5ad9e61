// refused: @FastPayload is for structs and enums
import MobiusCodec

@FastPayload
final class Value {
    @Field(2) var a = 1
}
