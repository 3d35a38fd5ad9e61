import MobiusClient
import MobiusWire
import Testing

/// How a client's machine treats requests that watch.
@Suite struct WatchTests {
    private var machine = ClientMachine(seed: 1)
    private let start = ContinuousClock.now

    private func watch(_ number: UInt64) -> NumberedRequest {
        NumberedRequest(number: number, request: .watch(.main, seen: nil))
    }

    private func status(_ number: UInt64) -> NumberedRequest { NumberedRequest(number: number, request: .status) }

    @Test mutating func `watching takes no place in the window`() {
        _ = machine.handle(.connected, at: start)
        let deadline = start + .seconds(60)
        for number in 1...1000 as ClosedRange<UInt64> {
            #expect(machine.handle(.ask(watch(number), deadline: deadline), at: start) == [.send(watch(number))])
        }
        let window = UInt64(ClientMachine.window)
        for number in 2001...2000 + window {
            #expect(machine.handle(.ask(status(number), deadline: deadline), at: start) == [.send(status(number))])
        }
        #expect(machine.handle(.ask(status(9000), deadline: deadline), at: start) == [])
        // A watch that ends makes no room for others, an answer does.
        let unchanged = NumberedAnswer(epoch: 1, number: 1, answer: .unchanged)
        #expect(
            machine.handle(.answered(unchanged), at: start) == [.finish(1, .answered(.unchanged, asked: 1))])
        // A watch that is cancelled gives its place back.
        #expect(machine.handle(.cancel(2), at: start) == [.send(NumberedRequest(number: 2, request: .unwatch(.main)))])
        let busy = NumberedAnswer(epoch: 1, number: 2001, answer: .notFound)
        #expect(
            machine.handle(.answered(busy), at: start) == [
                .finish(2001, .answered(.notFound, asked: 1)), .send(status(9000)),
            ])
    }

    @Test mutating func `a watch is sent again after a loss`() {
        _ = machine.handle(.connected, at: start)
        _ = machine.handle(.ask(watch(1), deadline: start + .seconds(60)), at: start)
        _ = machine.handle(.disconnected, at: start + .seconds(1))
        #expect(machine.handle(.connected, at: start + .seconds(40)) == [.send(watch(1))])
        #expect(machine.handle(.tick, at: start + .seconds(60)) == [.finish(1, .timedOut(busy: false))])
    }
}
