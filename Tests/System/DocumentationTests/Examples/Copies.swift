import MobiusExtras
import Testing

// example: copyable-import
// After this import, `Copyable` is Swift's own in this file.
import protocol Swift.Copyable

// end

// example: copyable
struct Profile: MobiusExtras.Copyable {
    var name = ""
    var age = 0
}

struct Ticket: ~Copyable {
    let number: Int
}
// end

@Suite("Examples: copies")
struct CopyExamples {
    @Test("a changed copy, beside a type that cannot be copied")
    func copies() {
        let profile = Profile(name: "Ada", age: 36)
        // example: copy
        let older = profile.copy { $0.age += 1 }
        // end
        #expect((older.name, older.age) == ("Ada", 37))
        #expect(Ticket(number: 7).number == 7)
    }
}
