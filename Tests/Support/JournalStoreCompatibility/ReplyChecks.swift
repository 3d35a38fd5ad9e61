import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let answer = SenderReply.answer(payload(#"{"seat":12}"#, PayloadKind(type: "Seat", version: 3)))
    private static let empty = SenderReply.answer(payload("", binary))
    private static let refusal = SenderReply.refusal("no seat is free: 🍏")

    static let replyChecks = [
        Check("what a sender was told comes back under the key, with the event's number") { open in
            let told: [(String, SenderReply?)] = [("a", answer), ("b", refusal), ("c", nil), ("d", empty)]
            try session(open) { store in
                let events = told.enumerated().map { replied(UInt64($0) + 1, $1.0, $1.1) }
                try store.commit([start()] + events + [start(other), replied(1, "a", refusal, of: other)])
                try require(try store.confirmation(of: "a", in: .main)?.reply, is: answer, "at once")
            }
            try session(open) { store in
                for (index, (key, reply)) in told.enumerated() {
                    let expected = EventConfirmation(repeated: true, number: UInt64(index) + 1, reply: reply)
                    try require(try store.confirmation(of: key, in: .main), is: expected, key)
                }
                try require(try store.confirmation(of: "a", in: other)?.reply, is: refusal, "another loop's")
                try require(try store.confirmation(of: "b", in: other), is: nil, "another loop's key")
                try require(try store.confirmation(of: "e", in: .main), is: nil, "an unknown key")
            }
        },
        Check("who sent an event, and what it says, comes back under the key, as long as the key") { open in
            func marked(_ sequence: UInt64, _ key: String, _ mark: SenderMark?) -> JournalRecord {
                guard case .event(var event) = outside(sequence, key) else { preconditionFailure("It is an event.") }
                event.mark = mark
                return .event(event)
            }
            let (ada, bob) = (SenderMark(sender: 7, event: .max), SenderMark(sender: 0, event: 1 << 63))
            try session(open) { store in
                try store.commit([start(), marked(1, "a", ada), marked(2, "b", bob), marked(3, "c", nil)])
                try require(try store.mark(of: "a", in: .main), is: ada, "at once")
                for sequence in 4...300 as ClosedRange<UInt64> {
                    try store.commit([marked(sequence, "key \(sequence)", ada)])
                    if sequence.isMultiple(of: 50) { try store.save(snapshot(sequence, model: payload("m"))) }
                }
            }
            try session(open) { store in
                try require(try store.mark(of: "a", in: .main), is: ada, "another start")
                try require(try store.mark(of: "b", in: .main), is: bob, "another sender")
                try require(try store.mark(of: "c", in: .main), is: nil, "none")
                try require(try store.mark(of: "d", in: .main), is: nil, "an unknown key")
                try require(try store.mark(of: "a", in: other), is: nil, "another loop")
                try store.commit([marked(301, "a", bob), marked(302, "b", nil)])
                try require(try store.mark(of: "a", in: .main), is: bob, "applied again")
                try require(try store.mark(of: "b", in: .main), is: nil, "applied again without")
            }
        },
        Check("what a sender was told stays when its event's record is compacted away") { open in
            try session(open) { store in
                try store.commit([start(), replied(1, "early", answer), replied(2, "refused", refusal)])
                for sequence in 3...300 as ClosedRange<UInt64> {
                    try store.commit([outside(sequence, "key \(sequence)")])
                    if sequence.isMultiple(of: 50) { try store.save(snapshot(sequence, model: payload("m"))) }
                }
            }
            try session(open) { store in
                try require(
                    try store.confirmation(of: "early", in: .main),
                    is: EventConfirmation(repeated: true, number: 1, reply: answer), "the answer")
                try require(
                    try store.confirmation(of: "refused", in: .main),
                    is: EventConfirmation(repeated: true, number: 2, reply: refusal), "the refusal")
            }
        },
        Check("a key that is applied again has the newer reply") { open in
            try session(open) { store in
                try store.commit([start(), replied(1, "k", answer), replied(2, "l", answer)])
                try store.commit([replied(3, "k", refusal), outside(4, "l")])
            }
            try session(open) { store in
                try require(
                    try store.confirmation(of: "k", in: .main),
                    is: EventConfirmation(repeated: true, number: 3, reply: refusal), "another reply")
                try require(
                    try store.confirmation(of: "l", in: .main), is: EventConfirmation(repeated: true, number: 4),
                    "none")
            }
        },
    ]

    static func replied(
        _ sequence: UInt64, _ key: String, _ reply: SenderReply?, of loop: LoopID = .main
    ) -> JournalRecord {
        var event = EventRecord(
            loop: loop, sequence: sequence, source: .outside(key), event: payload("event \(sequence)"), effects: [],
            ends: nil)
        event.reply = reply
        return .event(event)
    }
}
