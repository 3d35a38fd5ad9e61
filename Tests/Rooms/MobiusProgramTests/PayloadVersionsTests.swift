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

    @Test func anotherCodingIsRefused() {
        let text = Payload(kind: PayloadKind(type: "test.parcel", version: 2, contentType: "text/plain"), bytes: [7])
        #expect(reason(text).contains("it is text/plain, and this program reads application/json"))
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

/// Values of an enum of which some cases have changed.
struct ChangedCasesTests {
    private let coding = TypedCodec<Trip>.json()

    private func read(_ json: String, version: UInt16) throws -> Trip {
        try coding.decode(
            Payload(kind: PayloadKind(type: "test.trip", version: version), bytes: Array(json.utf8)))
    }

    private func reason(_ json: String, version: UInt16) -> String {
        let failure = #expect(throws: CodingFailure.self) { try read(json, version: version) }
        return failure?.description ?? ""
    }

    @Test func aCaseThatNeverChangedIsReadFromEveryVersion() throws {
        for version in UInt16(1)...4 { #expect(try read(#"{"paused":{}}"#, version: version) == .paused) }
    }

    @Test func aChangedCaseIsConvertedFromTheVersionsBeforeItsChange() throws {
        // Version 1: begun(String). Version 2: begun(at: String, guests: Int?). From version 3 on: begun(Trip.Start).
        #expect(try read(#"{"begun":{"_0":"Rome"}}"#, version: 1) == .begun(Trip.Start(place: "Rome", guests: 1)))
        #expect(
            try read(#"{"begun":{"at":"Rome","guests":4}}"#, version: 2)
                == .begun(Trip.Start(place: "Rome", guests: 4)))
        #expect(try read(#"{"begun":{"at":"Rome"}}"#, version: 2) == .begun(Trip.Start(place: "Rome", guests: 0)))
        #expect(
            try read(#"{"begun":{"_0":{"place":"Rome","guests":4}}}"#, version: 3)
                == .begun(Trip.Start(place: "Rome", guests: 4)))
    }

    @Test func aRemovedCaseBecomesAnother() throws {
        for version in UInt16(1)...3 { #expect(try read(#"{"slept":{}}"#, version: version) == .paused) }
        #expect(reason(#"{"slept":{}}"#, version: 4).contains("decoding Trip failed"))
    }

    @Test func newValuesHaveTheLastVersion() throws {
        let payload = try coding.encode(.paused)
        #expect(payload.kind == PayloadKind(type: "test.trip", version: 4))
    }

    @Test func aFormerCaseThatCannotBeConvertedIsAFailureAndNeverAnotherCase() {
        #expect(reason(#"{"begun":{"_0":""}}"#, version: 1).hasSuffix("version 1 cannot be converted to 4: Impossible"))
    }

    @Test func aValueThatIsNoFormOfItsVersionIsAFailureThatNamesAllOfThem() {
        let reason = reason(#"{"begun":{"_0":7}}"#, version: 2)
        #expect(reason.hasPrefix("decoding test.trip failed: no form of version 2 fits: at begun"))
        #expect(reason.count { $0 == ";" } >= 2)
    }

    @Test func aTypeThatWasReplacedAsAWholeMayChangeSomeCasesLater() throws {
        let coding = TypedCodec<Stay>.json()
        func read(_ json: String, _ version: UInt16) throws -> Stay {
            try coding.decode(
                Payload(kind: PayloadKind(type: "test.stay", version: version), bytes: Array(json.utf8)))
        }
        #expect(try read("3", 1) == .nights(of: 3))
        #expect(try read(#"{"nights":{"_0":3}}"#, 2) == .nights(of: 3))
        #expect(try read(#"{"nights":{"of":3}}"#, 3) == .nights(of: 3))
        #expect(throws: CodingFailure.self) { try read(#"{"nights":{"_0":3}}"#, 1) }
    }
}

enum Trip: PayloadEvolution, Equatable {
    struct Start: Codable, Equatable {
        var place: String
        var guests: Int
    }

    case begun(Start)
    case paused

    private enum First: Codable { case begun(String) }
    private enum Second: Codable { case begun(at: String, guests: Int?) }
    private enum Third: Codable { case slept }

    static let versions = PayloadVersions("test.trip", startingWith: Trip.self)
        .changing(First.self) { first in
            guard case .begun(let place) = first, !place.isEmpty else { throw Impossible() }
            return .begun(Start(place: place, guests: 1))
        }
        .changing(Second.self) { second in
            guard case .begun(let place, let guests) = second else { throw Impossible() }
            return .begun(Start(place: place, guests: guests ?? 0))
        }
        .changing(Third.self) { _ in .paused }
}

enum Stay: PayloadEvolution, Equatable {
    case nights(of: Int)

    private enum Second: Codable { case nights(Int) }

    static let versions = PayloadVersions("test.stay", startingWith: Int.self)
        .then(Stay.self) { .nights(of: $0) }
        .changing(Second.self) { second in
            switch second {
            case .nights(let count): .nights(of: count)
            }
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
