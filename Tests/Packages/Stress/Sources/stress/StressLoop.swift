import MobiusCore

/// The program that runs under stress: it counts what it is given, and knows what ought to come next.
enum StressLoop {
    /// One life of a loop: from its start to its end.
    typealias Life = Int

    struct Model: Sendable {
        let life: Life
        /// How many events of the crew come, if nothing cuts the life short.
        let expected: Int
        /// One more with every event: whoever watches sees each of them, in order.
        var version = 0
        /// The number of each sender's next event.
        var next = [Int](repeating: 0, count: Crew.senders + 1)
        var received = 0
        /// Answers that are to come.
        var outstanding = 0
        var isSettled = false
    }

    enum Event: Sendable {
        case sent(life: Life, sender: Int, number: Int, asks: Ask?)
        case answered(life: Life)
        /// An answer that may come or not.
        case bonus(life: Life)

        var life: Life {
            switch self {
            case .sent(let life, _, _, _), .answered(let life), .bonus(let life): life
            }
        }
    }

    /// What an event makes the loop ask for.
    enum Ask: Int, CaseIterable, Sendable {
        case now, onQueue, inTask, inTurn, inPairs, newest, twice, stream, onMain, connected, nothing, late, cancel

        /// How many answers are sure to come.
        var answers: Int {
            switch self {
            case .now, .onQueue, .inTask, .inTurn, .inPairs, .onMain, .connected: 1
            case .twice, .stream: 2
            case .newest, .nothing, .late, .cancel: 0
            }
        }
    }

    enum Effect: Sendable {
        case now(Task), onQueue(Life), inTask(Life), inTurn(Life), inPairs(Life), newest(Life), twice(Life)
        case stream(Life), onMain(Life), connected(Life), nothing(Task), late(Life), cancel(Life)
        case settled(Life)

        /// What a handler that runs inside the loop needs for its checks.
        struct Task: Sendable {
            let life: Life
            let version: Int
        }
    }

    /// Applies `event`, and checks that it was its turn.
    static func apply(_ event: Event, to model: inout Model) -> [Effect] {
        Findings.expect(event.life == model.life, "\(event) arrived in life \(model.life)")
        model.version += 1
        var effects: [Effect] = []
        switch event {
        case .sent(let life, let sender, let number, let ask):
            Findings.expect(
                number == model.next[sender],
                "sender \(sender)'s event \(number) came in place of \(model.next[sender]), life \(life)")
            model.next[sender] = number + 1
            model.received += 1
            if let ask {
                model.outstanding += ask.answers
                effects.append(effect(ask, model))
            }
        case .answered:
            model.outstanding -= 1
            Findings.expect(model.outstanding >= 0, "an answer came twice, life \(model.life)")
        case .bonus: break
        }
        if !model.isSettled, model.received == model.expected, model.outstanding == 0 {
            model.isSettled = true
            effects.append(.settled(model.life))
        }
        return effects
    }

    private static func effect(_ ask: Ask, _ model: Model) -> Effect {
        let task = Effect.Task(life: model.life, version: model.version)
        return switch ask {
        case .now: .now(task)
        case .onQueue: .onQueue(model.life)
        case .inTask: .inTask(model.life)
        case .inTurn: .inTurn(model.life)
        case .inPairs: .inPairs(model.life)
        case .newest: .newest(model.life)
        case .twice: .twice(model.life)
        case .stream: .stream(model.life)
        case .onMain: .onMain(model.life)
        case .connected: .connected(model.life)
        case .nothing: .nothing(task)
        case .late: .late(model.life)
        case .cancel: .cancel(model.life)
        }
    }
}
