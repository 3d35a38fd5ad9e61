import MobiusCore
import MobiusProgram
import MobiusWire
import Testing

/// What several programs say about loops, each for its own.
struct SeveralProgramsTests {
    private let programs = SeveralPrograms(
        Programs {
            Open.self
            Secret.self
            Old.retired
        })

    private func loop(_ name: String) throws -> LoopID { try #require(LoopID(name)) }

    @Test(arguments: ["open", "open/1", "open/a/b", "secret/1", "main"])
    func aNameBelongsToTheProgramOfItsKind(name: String) throws {
        #expect(programs.complaint(about: try loop(name)) == nil)
    }

    @Test(arguments: [
        ("opne/1", "Did you mean open?"), ("openly", "the kinds are main, open, secret."), ("open/", "key"),
    ])
    func anyOtherNameIsRefused(name: String, words: String) throws {
        let complaint = try #require(programs.complaint(about: try loop(name)))
        #expect(complaint.description.contains(words), "\(complaint)")
    }

    @Test func aProgramMasksItsOwnLoopsOnly() throws {
        let (secret, open) = (try loop("secret/1"), try loop("open/1"))
        #expect(programs.masks(secret) && !programs.masks(open))
        // Of one that no program knows, nothing may show.
        #expect(programs.masks(try loop("gone/1")))
    }

    @Test func loopsOfARetiredProgramDoNotBeginNotEvenMain() throws {
        #expect(programs.refusalToBegin(.main)?.description.contains("retired") == true)
        #expect(programs.refusalToBegin(try loop("open/1")) == nil)
        #expect(!programs.hasMain)
        #expect(SeveralPrograms(Programs { Old.self }).hasMain)
    }

    @Test func anAddressIsTheNameBehindTheKind() throws {
        #expect(Address<Open>("1").name == "open/1" && Address<Open>.only.name == "open")
        #expect(Address<Open>(try loop("open/a/b"))?.key == "a/b")
        #expect(Address<Open>(try loop("open"))?.key == "")
        #expect(Address<Open>(try loop("secret/1")) == nil)
        // By bytes: the slash is a part of this letter.
        #expect(Address<Open>(try loop("open/\u{301}x"))?.key == "\u{301}x")
        #expect(Address<Open>(String(repeating: "x", count: 124)).loop == nil)
    }
}

private enum Open: LoopProgram, FleetProgram {
    static let kind: LoopKind = "open"
    static func initiate() -> First<Int, Never> { First(model: 0) }
    static func update(_ model: Int, _ event: Int) -> Next<Int, Never> { .next(model + event) }
}

private enum Secret: LoopProgram, FleetProgram, RedactingProgram {
    static let kind: LoopKind = "secret"
    static func initiate() -> First<Int, Never> { First(model: 0) }
    static func update(_ model: Int, _ event: String) -> Next<Int, Never> { .next(model + event.count) }
}

private enum Old: LoopProgram, FleetProgram {
    static let kind: LoopKind = "main"
    static func initiate() -> First<Int, Never> { First(model: 0) }
    static func update(_ model: Int, _ event: Int) -> Next<Int, Never> { .next(model + event) }
}
