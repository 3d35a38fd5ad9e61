import MobiusExtras
import Testing

@Suite struct CopyableTests {
    private struct Form: Copyable, Equatable {
        var name = ""
        var age = 0
    }

    /// Copies in its own way: it counts.
    private struct Versioned: Copyable {
        var version = 1
        var text = ""

        func copy(with mutator: (inout Versioned) -> Void) -> Versioned {
            var copy = self
            mutator(&copy)
            copy.version += 1
            return copy
        }
    }

    @Test func `a copy is changed and the value stays`() {
        let form = Form(name: "Alice")
        let older = form.copy { $0.age = 40 }
        #expect(older == Form(name: "Alice", age: 40))
        #expect(form == Form(name: "Alice"))
    }

    @Test func `a type may copy in its own way`() {
        func edited<Value: Copyable>(_ value: Value, _ edit: (inout Value) -> Void) -> Value {
            value.copy(with: edit)
        }
        let edit = edited(Versioned()) { $0.text = "new" }
        #expect(edit.version == 2)
        #expect(edit.text == "new")
    }

    // In a file that imports MobiusExtras, `Copyable` is its protocol; Swift's own is `Swift.Copyable`.

    private struct Ticket: ~Swift.Copyable {
        let number: Int

        consuming func use() -> Int { number }
    }

    private func number<Value: ~Swift.Copyable>(of value: consuming Value, _ use: (consuming Value) -> Int) -> Int {
        use(value)
    }

    @Test func `types that cannot be copied are written with ~Swift.Copyable`() {
        #expect(number(of: Ticket(number: 7)) { ticket in ticket.use() } == 7)
    }
}
