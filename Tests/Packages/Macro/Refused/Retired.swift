// refused: 2 is retired: it meant something else once
import MobiusCodec

@FastPayload(retired: 1, 2)
enum Value {
    @Field(2) case a
}
