import CounterTerminal
import Foundation
import TestTraits
import Testing

/// Keys from a pipe; lines from a terminal are tested with the real commands, in IntegrationTests.
@Suite(.patient)
struct KeyboardTests {
    private let pipe = Pipe()

    private func type(_ text: String) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    @Test func keysComeInOrderUntilTheEndOfTheInput() async throws {
        let keyboard = Keyboard(descriptor: pipe.fileHandleForReading.fileDescriptor)
        try type("+-\nxp+\u{1B}[AQ\nq")
        try pipe.fileHandleForWriting.close()
        var keys: [Key] = []
        for await key in keyboard.keys { keys.append(key) }
        #expect(keys == [.plus, .minus, .pause, .plus, .quit, .quit])
    }

    @Test func moreThanOneReadIsNotLost() async throws {
        let keyboard = Keyboard(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let writer = Thread { [pipe] in
            try? pipe.fileHandleForWriting.write(contentsOf: Data(repeating: UInt8(ascii: "+"), count: 200_000))
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        var count = 0
        for await key in keyboard.keys where key == .plus { count += 1 }
        #expect(count == 200_000)
    }

    @Test func closingEndsTheKeysThatSomebodyWaitsFor() async throws {
        let keyboard = Keyboard(descriptor: pipe.fileHandleForReading.fileDescriptor)
        try type("+")
        var keys: [Key] = []
        for await key in keyboard.keys {
            keys.append(key)
            keyboard.close()
        }
        #expect(keys == [.plus])
    }

    @Test func cancellingEndsThemToo() async throws {
        let keyboard = Keyboard(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let reading = Task {
            var count = 0
            for await _ in keyboard.keys { count += 1 }
            return count
        }
        reading.cancel()
        #expect(await reading.value == 0)
    }
}
