import MobiusCodec
import MobiusProgram
import MobiusWire
import Testing

/// Values that were written by earlier builds.
struct PayloadVersionsTests {
    private let coding = TypedCodec<Parcel>.json()

    private func payload(_ json: String, type: String = "test.parcel", version: UInt16) -> Payload {
        Payload(kind: PayloadKind(type: type, version: version), bytes: Array(json.utf8))
    }

    private func reason(_ payload: Payload) -> String {
        let failure = #expect(throws: CodingFailure.self) { try coding.decode(payload) }
        return failure?.description ?? ""
    }

    @Test func newValuesHaveTheExplicitNameAndTheLastVersion() throws {
        let payload = try coding.encode(Parcel(grams: 5, labels: ["a"]))
        #expect(payload.kind == PayloadKind(type: "test.parcel", version: 4))
        #expect(try coding.decode(payload) == Parcel(grams: 5, labels: ["a"]))
    }

    @Test func everyVersionGoesThroughAllStepsBehindIt() throws {
        #expect(try coding.decode(payload("7", version: 2)) == Parcel(grams: 7000, labels: []))
        #expect(try coding.decode(payload("{\"weight\":7}", version: 3)) == Parcel(grams: 7, labels: []))
    }

    @Test func formerNamesAreReadLikeTheName() throws {
        #expect(try coding.decode(payload("7", type: "Old.Parcel", version: 2)) == Parcel(grams: 7000, labels: []))
        #expect(try coding.decode(payload("7", type: "Older.Parcel", version: 2)) == Parcel(grams: 7000, labels: []))
        #expect(
            reason(payload("7", type: "Other.Parcel", version: 2)).hasSuffix(
                "it is Other.Parcel, version 2; this program reads test.parcel"))
    }

    @Test func theVersionZeroStandsForTheNewest() {
        for name in ["test.parcel", "Old.Parcel"] {
            #expect(coding.newest(PayloadKind(type: name, version: 0)) == PayloadKind(type: "test.parcel", version: 4))
        }
        let others = [PayloadKind(type: "test.parcel", version: 2), PayloadKind(type: "Other", version: 0)]
        for kind in others { #expect(coding.newest(kind) == kind) }
    }

    @Test func versionsThatAreNotNamedAreRefusedWithASentence() {
        #expect(
            reason(payload("{}", version: 5))
                == "decoding test.parcel failed: it is version 5, written by a newer program: this one knows up to 4")
        #expect(reason(payload("7", version: 1)).hasSuffix("it is version 1, and this program reads 2 and later ones"))
        #expect(reason(payload("7", version: 0)).hasSuffix("it is version 0, and this program reads 2 and later ones"))
    }

    @Test func anOldValueThatCannotBeReadOrMadeANewOneIsAFailure() {
        #expect(reason(payload("[]", version: 2)).contains("decoding test.parcel version 2 failed"))
        #expect(reason(payload("-7", version: 2)).hasSuffix("version 2 cannot be converted to 4: Impossible"))
    }

    @Test func everyVersionIsReadInTheCodingItWasWrittenIn() throws {
        let kind = PayloadKind(type: "test.parcel", version: 2, contentType: "application/cbor")
        #expect(try coding.decode(Payload(kind: kind, bytes: [7])) == Parcel(grams: 7000, labels: []))
    }

    @Test func anotherCodingIsRefused() {
        let text = Payload(kind: PayloadKind(type: "test.parcel", version: 2, contentType: "text/plain"), bytes: [7])
        #expect(reason(text).contains("it is text/plain, and this program reads application/json, application/cbor"))
    }

    @Test func theNameMayBeTheOnlyPromise() throws {
        let payload = try TypedCodec<Named>.json().encode(Named(number: 1))
        #expect(payload.kind == PayloadKind(type: "test.named", version: 1))
    }

    @Test func othersAreVersionOneOfTheirFullName() throws {
        let kind = TypedCodec<Plain>.json().kind
        #expect(kind == PayloadKind(type: "MobiusProgramTests.Plain", version: 1))
        // It has the module in it: after a move of the type to another module its journal can be read only by name.
        let moved = Payload(kind: PayloadKind(type: "OldModule.Plain"), bytes: Array("{\"number\":1}".utf8))
        #expect(throws: CodingFailure.self) { try TypedCodec<Plain>.json().decode(moved) }
        #expect(try TypedCodec<Moved>.json().decode(moved) == Moved(number: 1))
    }

    @Test func theNameOfAPrivateTypeHasNoAddressInIt() {
        #expect(TypedCodec<Hidden>.fullName == "MobiusProgramTests.Hidden")
        #expect(TypedCodec<Hidden.Inner>.fullName == "MobiusProgramTests.Hidden.Inner")
        #expect(TypedCodec<[Hidden]>.fullName == "Swift.Array<MobiusProgramTests.Hidden>")
    }

    @Test func aChainThatBeginsLateCountsOn() {
        #expect(Parcel.versions.oldest == 2 && Parcel.versions.current == 4)
        #expect(Parcel.versions.formerNames == ["Old.Parcel", "Older.Parcel"])
    }
}

private struct Impossible: Error {}

struct Plain: Codable, Equatable {
    var number: Int
}

struct Named: PayloadEvolution {
    var number: Int

    static let versions = PayloadVersions("test.named", startingWith: Named.self)
}

struct Moved: PayloadEvolution, Equatable {
    var number: Int

    static let versions = PayloadVersions("test.moved", formerly: "OldModule.Plain", startingWith: Moved.self)
}

private struct Hidden: Codable {
    struct Inner: Codable {}
}

struct Parcel: PayloadEvolution, Equatable {
    var grams: Int
    var labels: [String]

    private struct Weighed: Codable {
        var weight: Int
    }

    static let versions = PayloadVersions(
        "test.parcel", formerly: "Old.Parcel", "Older.Parcel", oldest: 2, startingWith: Int.self
    )
    .then(Weighed.self) { kilograms in
        guard kilograms >= 0 else { throw Impossible() }
        return Weighed(weight: kilograms * 1000)
    }
    .then(Parcel.self) { Parcel(grams: $0.weight, labels: []) }
}
