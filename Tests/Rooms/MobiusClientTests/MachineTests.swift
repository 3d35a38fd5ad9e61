import MobiusClient
import MobiusWire
import Testing

@Suite("When a client says what")
struct MachineTests {
    private let start = ContinuousClock.now
    private var machine = ClientMachine(seed: 1)

    private func asked(_ number: UInt64) -> NumberedRequest {
        NumberedRequest(number: number, request: .status)
    }

    private func ask(_ number: UInt64, for limit: Duration = .seconds(10)) -> ClientMachine.Input {
        .ask(asked(number), deadline: start + limit)
    }

    private func answer(_ number: UInt64, _ answer: ClientAnswer, epoch: UInt64 = 1) -> ClientMachine.Input {
        .answered(NumberedAnswer(epoch: epoch, number: number, answer: answer))
    }

    private mutating func after(_ time: Duration, _ input: ClientMachine.Input) -> [ClientMachine.Action] {
        machine.handle(input, at: start + time)
    }

    @Test("what is asked early leaves with the connection, and again with the next")
    func connections() {
        var test = self
        #expect(test.after(.zero, ask(1)) == [])
        #expect(test.after(.seconds(1), .connected) == [.send(asked(1))])
        #expect(test.after(.seconds(1), ask(2)) == [.send(asked(2))])
        #expect(test.after(.seconds(2), .disconnected) == [])
        #expect(test.after(.seconds(3), .tick) == [])
        #expect(test.after(.seconds(4), .connected) == [.send(asked(1)), .send(asked(2))])
        #expect(
            test.after(.seconds(4), answer(1, .notFound)) == [.finish(1, .answered(.notFound, asked: 2))])
        #expect(test.after(.seconds(4), answer(1, .notFound)) == [])
    }

    @Test("what is asked soon after a refusal gets it, too; what comes later connects again")
    func refusals() {
        var test = self
        #expect(test.after(.zero, .forbidden("no")) == [])
        #expect(test.after(.milliseconds(999), ask(1)) == [.finish(1, .forbidden("no"))])
        #expect(test.after(.seconds(1), ask(2)) == [.move(to: nil, after: .zero)])
        #expect(test.after(.seconds(1), ask(3)) == [])
        #expect(test.after(.seconds(2), .forbidden("no")) == [2, 3].map { .finish($0, .forbidden("no")) })
        #expect(test.after(.seconds(3), ask(4)) == [.move(to: nil, after: .zero)])
        #expect(test.after(.seconds(4), .connected) == [.send(asked(4))])
        #expect(test.after(.seconds(4), ask(5)) == [.send(asked(5))])
    }

    @Test("no answer for a while: asked again after 1 s, then 2 s later, then 4 s")
    func silence() {
        var test = self
        _ = test.after(.zero, .connected)
        _ = test.after(.zero, ask(1, for: .seconds(60)))
        #expect(test.machine.nextDeadline == start + .seconds(1))
        #expect(test.after(.milliseconds(999), .tick) == [])
        var times: [Int] = []
        for second in 1...40 where test.after(.seconds(second), .tick) == [.send(asked(1))] { times.append(second) }
        #expect(times == [1, 3, 7, 15, 23, 31, 39])
    }

    @Test("busy is waited for: at least as long as told, at most twice")
    func busy() {
        var test = self
        _ = test.after(.zero, .connected)
        _ = test.after(.zero, ask(1))
        #expect(test.after(.zero, answer(1, .busy(retryAfter: 200))) == [])
        #expect(test.after(.milliseconds(199), .tick) == [])
        // A new connection is no reason to hurry.
        #expect(test.after(.milliseconds(199), .connected) == [])
        #expect(test.after(.milliseconds(400), .tick) == [.send(asked(1))])
        #expect(test.after(.milliseconds(400), answer(1, .busy(retryAfter: 60_000))) == [])
        #expect(test.after(.seconds(10), .tick) == [.finish(1, .timedOut(busy: true))])
        // Also while it is being asked once more.
        _ = test.after(.seconds(10), .ask(asked(2), deadline: start + .seconds(12)))
        _ = test.after(.seconds(10), answer(2, .busy(retryAfter: 1)))
        #expect(test.after(.milliseconds(10_002), .tick) == [.send(asked(2))])
        #expect(test.after(.seconds(12), .tick) == [.finish(2, .timedOut(busy: true))])
    }

    @Test("at the deadline: unreachable when it was never sent, else timed out")
    func deadlines() {
        var test = self
        _ = test.after(.zero, ask(1, for: .seconds(1)))
        #expect(test.machine.nextDeadline == start + .seconds(1))
        #expect(test.after(.seconds(1), .tick) == [.finish(1, .unreachable)])
        _ = test.after(.seconds(1), .connected)
        _ = test.after(.seconds(1), ask(2, for: .seconds(2)))
        #expect(test.after(.seconds(2), .tick) == [.finish(2, .timedOut(busy: false))])
        #expect(test.machine.nextDeadline == nil)
    }

    @Test("no more than the window is under way; the others follow in order, as places come free")
    func window() {
        var test = self
        let window = UInt64(ClientMachine.window)
        _ = test.after(.zero, .connected)
        for number in 1...window { #expect(test.after(.zero, ask(number)) == [.send(asked(number))]) }
        for number in window + 1...window + 100 { #expect(test.after(.zero, ask(number)) == []) }
        _ = test.after(.zero, .cancel(window + 2))
        #expect(
            test.after(.zero, answer(7, .notFound))
                == [.finish(7, .answered(.notFound, asked: 1)), .send(asked(window + 1))])
        #expect(test.after(.zero, .cancel(8)) == [.send(asked(window + 3))])
        let ends = test.after(.seconds(10), .tick)
        #expect(ends.count == Int(window) + 97)
        #expect(test.after(.seconds(10), .tick) == [])
    }

    @Test("who is not understood at all, or closes, ends everything")
    func ends() {
        var test = self
        let window = UInt64(ClientMachine.window)
        for number in 1...window + 1 { _ = test.after(.zero, ask(number)) }
        let refusal = ClientRefusal(.malformed, "version 2")
        #expect(test.after(.zero, answer(0, .refused(refusal))).count == Int(window) + 1)
        _ = test.after(.zero, ask(1))
        #expect(test.after(.zero, .strange("a web server")) == [.finish(1, .strange("a web server"))])
        _ = test.after(.zero, ask(2))
        #expect(test.after(.zero, .close) == [.finish(2, .closed)])
    }
}

@Suite("Events in order")
struct OrderedMachineTests {
    private let start = ContinuousClock.now
    private var machine = ClientMachine(seed: 1, window: 3)

    private func asked(_ number: UInt64, _ order: SendOrder = .ordered) -> NumberedRequest {
        NumberedRequest(
            number: number,
            request: .send(loop: .main, key: "\(number)", event: Payload(kind: PayloadKind(type: ""), bytes: [0x31])),
            order: order)
    }

    private mutating func after(_ time: Duration, _ input: ClientMachine.Input) -> [ClientMachine.Action] {
        machine.handle(input, at: start + time)
    }

    private func busy(_ number: UInt64) -> ClientMachine.Input {
        .answered(NumberedAnswer(epoch: 1, number: number, answer: .busy(retryAfter: 100)))
    }

    @Test(
        "after BUSY the first is repeated, when it is answered the others in their order, after a loss of the connection all"
    )
    func order() {
        var test = self
        _ = test.after(.zero, .connected)
        for number in UInt64(1)...4 {
            _ = test.after(.zero, .ask(asked(number), deadline: start + .seconds(60)))
        }
        for number in [UInt64(2), 1, 3] { #expect(test.after(.zero, busy(number)) == []) }
        #expect(test.after(.milliseconds(99), .tick) == [])
        #expect(test.after(.milliseconds(200), .tick) == [.send(asked(1))])
        _ = test.after(.milliseconds(201), .disconnected)
        #expect(test.after(.milliseconds(202), .connected) == [.send(asked(1)), .send(asked(2)), .send(asked(3))])
        let done = ClientAnswer.done(repeated: false)
        #expect(
            test.after(.milliseconds(203), .answered(NumberedAnswer(epoch: 1, number: 1, answer: done))) == [
                .finish(1, .answered(done, asked: 3)), .send(asked(4)),
            ])
        for number in [UInt64(2), 4, 3] { _ = test.after(.milliseconds(204), busy(number)) }
        #expect(test.after(.milliseconds(404), .tick) == [.send(asked(2))])
        #expect(
            test.after(.milliseconds(405), .answered(NumberedAnswer(epoch: 1, number: 2, answer: done))) == [
                .finish(2, .answered(done, asked: 3)), .send(asked(3)), .send(asked(4)),
            ])
    }

    @Test("a refused event ends its chain, so that another connection takes nothing behind it")
    func chain() {
        var test = self
        _ = test.after(.zero, .connected)
        for number in UInt64(1)...5 {
            _ = test.after(.zero, .ask(asked(number, .chained), deadline: start + .seconds(60)))
        }
        let refused = ClientAnswer.refused(ClientRefusal(.invalidEvent, "no"))
        #expect(
            test.after(.milliseconds(1), .answered(NumberedAnswer(epoch: 1, number: 2, answer: refused))) == [
                .finish(2, .answered(refused, asked: 1)), .finish(3, .closed), .finish(4, .closed),
                .finish(5, .closed),
            ])
        _ = test.after(.milliseconds(2), .disconnected)
        #expect(test.after(.milliseconds(3), .connected) == [.send(asked(1, .chained))])
        #expect(
            test.after(.milliseconds(4), .ask(asked(6, .chained), deadline: start + .seconds(60))) == [
                .finish(6, .closed)
            ])
        #expect(
            test.after(.milliseconds(4), .ask(asked(7), deadline: start + .seconds(60))) == [.send(asked(7))])
    }
}
