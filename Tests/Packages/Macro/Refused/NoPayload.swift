// refused: requires that 'Other' conform to 'FastPayload'
import MobiusCodec

struct Other {}

@FastPayload
struct Value {
    @Field(2) var a: Other
}
