import MobiusExtras
import Testing

// After this import, `Copyable` is Swift's own in this file.
import protocol Swift.Copyable

@Suite struct CopyableClashTests {
    private struct Ticket: ~Copyable {
        let number: Int
        let used: Used

        final class Used {
            var numbers: [Int] = []
        }

        deinit { used.numbers.append(number) }
    }

    private struct Form: MobiusExtras.Copyable {
        var name = ""
    }

    @Test func `with the scoped import, ~Copyable is written as ever`() {
        let used = Ticket.Used()
        do { _ = Ticket(number: 7, used: used) }
        #expect(used.numbers == [7])
        #expect(Form().copy { $0.name = "Alice" }.name == "Alice")
    }
}
