import Counter
import CounterTerminal
import FleetTestSupport
import Foundation
import MobiusCore
import Testing

/// The views and the screen they share, through a pipe.
struct ViewTests {
    private let pipe = Pipe()
    private let screen: Screen

    init() {
        screen = Screen(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    }

    /// Everything shown; the screen must not be used afterwards.
    private func shown() throws -> [String] {
        try pipe.fileHandleForWriting.close()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func eachChangeIsALine() throws {
        screen.show("1", in: "count")
        screen.show("1", in: "count")
        screen.say("(a sound)")
        screen.show("1", in: "history")
        screen.show("2", in: "count")
        #expect(try shown() == ["count 1", "(a sound)", "history 1", "count 2"])
    }

    @Test func severalViewsShowOneModel() throws {
        let (count, history) = (CountView(on: screen), HistoryView(on: screen, length: 2))
        let connections = [count.connect { _ in }, history.connect { _ in }]
        for number in [0, 1, 1, 2] {
            for connection in connections { connection.accept(Counter.Model(count: number)) }
        }
        #expect(
            try shown() == ["count 0", "history 0", "count 1", "history 0 1", "count 2", "history 1 2"])
    }

    @Test func aComplaintStandsBesideTheCount() throws {
        CountView(on: screen).show(Counter.Model(count: 0, complaint: "timed out"))
        #expect(try shown() == ["count 0  (no sound: timed out)"])
    }

    @Test func keysAreEventsWhileTheViewIsConnected() {
        let view = CountView(on: screen)
        let events = Journey<Counter.Event>()
        view.press(.plus)
        let connection = view.connect { events.add($0) }
        for key: Key in [.plus, .pause, .minus, .quit] { view.press(key) }
        #expect(events.elements == [.increment, .decrement])
        connection.dispose()
        view.press(.plus)
        #expect(events.elements.count == 2)
    }
}
