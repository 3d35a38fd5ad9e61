import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let recordChecks = [
        Check("records come back as they were, in commit order") { open in
            let records = varied()
            try session(open) { store in
                try store.commit(Array(records[..<3]))
                try store.commit(Array(records[3...]))
                try require(try store.tail(of: .main), is: records, "tail in the same session")
            }
            try session(open) { try require(try $0.tail(of: .main), is: records, "tail in the next session") }
        },
        Check("loops in one commit stay apart") { open in
            // A name may hold a zero, at which C would end it.
            let other = LoopID("main\u{0}") ?? other
            let mine = [start(), outside(1, "k"), outside(2, "l")]
            let others = [start(other), outside(1, "k", of: other), .note(effect(0, of: other), .ended)]
            try session(open) { store in
                try store.commit([mine[0], others[0], others[1], mine[1], others[2], mine[2]])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: mine, "one loop")
                try require(try store.tail(of: other), is: others, "the other")
            }
        },
        Check("lists that are committed as a group are one behind the other") { open in
            let mine = [start(), outside(1, "k"), outside(2, "l"), .note(effect(0), .ended)]
            let others = [start(other), outside(1, "k", of: other)]
            try session(open) { store in
                try store.commit(group: [[mine[0], others[0]], [], [others[1]], [mine[1], mine[2]]])
                try store.commit(group: [])
                try store.commit(group: [[], [mine[3]]])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: mine, "one loop")
                try require(try store.tail(of: other), is: others, "the other")
            }
        },
        Check("a loop goes on where it was in an earlier session") { open in
            try session(open) { try $0.commit([start(), .note(effect(0), .ended)]) }
            try session(open) { try $0.commit([.note(effect(0, 1), .ended), outside(1, "k")]) }
            try session(open) { store in
                try require(
                    try store.tail(of: .main),
                    is: [start(), .note(effect(0), .ended), .note(effect(0, 1), .ended), outside(1, "k")], "tail")
            }
        },
        Check("bytes of every length and value survive") { open in
            let sizes = [0, 1, 7, 8, 9, 127, 128, 4_096, 70_000]
            let records = sizes.enumerated().map { index, size in
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
                let content = Payload(kind: binary, bytes: bytes)
                return report(
                    UInt64(index) + 1, on: effect(0, UInt32(index)), event: content, effects: [content, payload("")])
            }
            try session(open) { try $0.commit([start()] + records) }
            try session(open) { try require(try $0.tail(of: .main), is: [start()] + records, "tail") }
        },
        Check("what the visitor throws ends the reading and comes out") { open in
            struct Enough: Error {}
            try session(open) { store in
                try store.commit([start(), outside(1, "k")])
                var visited = 0
                do {
                    try store.readTail(of: .main) { _ in
                        visited += 1
                        throw Enough()
                    }
                    throw Incompatibility(description: "the visitor's error was swallowed")
                } catch is Enough {}
                try require(visited, is: 1, "visits")
                try store.commit([outside(2, "l")])
                try require(try store.tail(of: .main).count, is: 3, "records after that")
            }
        },
        Check("a long tail is read whole") { open in
            let count: UInt64 = 3_000
            try session(open) { store in
                try store.commit([start()])
                for first in stride(from: 1, through: count, by: 100) {
                    try store.commit((first..<first + 100).map { outside($0, "key \($0)") })
                }
            }
            let (_, loop) = try session(open) { try RecoveredLoop.read(.main, from: $0) }
            try require(loop.lastSequence, is: count, "last event")
        },
    ]

    private static func varied() -> [JournalRecord] {
        [
            start(effects: [payload("first"), payload("", binary), payload("third")]),
            outside(1, "", effects: [payload("fourth")]),
            report(2, on: effect(0), event: payload("so far"), final: false),
            report(3, on: effect(0), number: .max, epoch: .max, attempt: .max, event: payload("", binary)),
            .note(effect(0, 1), .ended),
            .note(effect(0, 2), .ended),
            failure(4, of: effect(1)),
            outside(5, "key\u{0} of 🍏 and e\u{301}"),
            failure(6, of: effect(0), round: .max),
            .event(timers()),
            fired(8, effect(7), due: .min),
            .note(effect(7), .started(Attempt(epoch: .max, number: .max))),
            .note(effect(7), .retried(failures: .max)),
            .note(effect(7), .deadLettered(letter(effect(7), "", effect: payload("", binary), failures: 0, at: .max))),
            .note(
                effect(7, 1), .deadLettered(letter(effect(7, 1), "why\u{0} 🍏", failures: .max, round: .max, at: .min))),
            .note(effect(7), .requeued(payload("", binary), round: .max, at: time(.min))),
            .note(effect(7, 1), .dropped),
            .note(effect(7, 1), .remarked(.asked(by: "key\u{0} of 🍏", at: time(.max)))),
            .note(
                effect(7),
                .remarked(.failed(Attempt(epoch: .max, number: .max), worker: "", reason: "🍏", at: time(.min)))),
            .note(effect(7), .remarked(.cancelled(by: effect(.max, .max)))),
            .note(effect(7), .remarked(.unknown(kind: 200, content: [0, 255]))),
            .note(effect(7), .remarked(.acted("fail", by: "", why: "\u{0} 🍏", at: time(.min)))),
            .note(effect(7), .answered(LoopReply(nil))),
            .note(effect(7), .answered(LoopReply(.refusal("no\u{0} 🍏")))),
            .note(effect(7), .answered(LoopReply(.answer(payload("", binary))))),
            fired(9, effect(7, 2), due: .max, ends: true),
            // Events that other loops sent, and one of its own.
            .event(
                EventRecord(
                    loop: .main, sequence: 10, source: .loop(effect(.max, .max, of: other)), event: payload("hello"),
                    effects: [payload("to do")], ends: nil)),
            .event(
                EventRecord(
                    loop: .main, sequence: 11, source: .loop(effect(10)), event: payload("", binary), effects: [],
                    ends: nil)),
            // An event that was dropped.
            .event(
                EventRecord(
                    loop: .main, sequence: 12, source: .outside("dropped"), event: nil, effects: [], ends: nil,
                    time: time(-5))),
        ]
    }

    private static func timers() -> EventRecord {
        EventRecord(
            loop: .main, sequence: 7, source: .outside("timers"), event: payload("wait"),
            effects: [payload("daily"), payload("work"), payload("once", binary), payload("")], ends: nil,
            time: time(1_700_000_000_000),
            dues: [
                TimerDue(index: 0, due: time(.min)), TimerDue(index: 2, due: time(1_700_000_000_001)),
                TimerDue(index: 3, due: time(.max)),
            ])
    }
}
