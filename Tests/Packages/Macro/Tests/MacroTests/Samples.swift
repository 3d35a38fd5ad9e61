public import MobiusCodec

// example: macro
@FastPayload(retired: 4)
struct Visit {
    @Field(1) var address: String
    @Field(2) var status: Int
    @Field(3) var note: String?
    @Field(5) var retries = 3
}

@FastPayload
enum Deed {
    @Field(1) case stopped
    @Field(2) case fetched(Visit, after: Double)
}
// end

@FastPayload(retired: 2, 5)
struct Page: Equatable {
    @Field(3) var note: String?
    @Field(1) let address: String
    @Field(4) var retries = 3
    @Field(20) var mood: Mood = .calm { didSet { changes += 1 } }
    @Field(6) var given: Int? = 7
    var twice: Int { retries * 2 }
    static let maximum = 5
    let constant = 5

    @Field(7) var changes = 0
}

/// Public, so that the members have to be.
@FastPayload
public indirect enum Step: Equatable {
    @Field(1) case stopped
    @Field(2) case fetched(String, after: Double = 1)
    @Field(5, values: 4, 2) case both(a: Step, _ b: Int?)
    @Field(3) case `default`(in: [String: Step])
}

@FastPayload
enum Mood: String {
    case calm, angry
}

@FastPayload
struct Box<Content: FastPayload & Equatable>: Equatable {
    @Field(1) var content: Content
}

@FastPayload
struct Empty: Equatable {}
