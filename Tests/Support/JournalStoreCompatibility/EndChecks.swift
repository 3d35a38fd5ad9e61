import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let endChecks = [
        Check("loops that have ended are known, in the order of their ends, until they begin again") { open in
            let first = EndedLoop(loop: .main, sequence: 1, time: time(70), mayBeginAgain: true, outstanding: .max)
            let second = EndedLoop(loop: other, sequence: 0, time: time(80), mayBeginAgain: false)
            try session(open) { store in
                try store.commit([start(), outside(1, "k", effects: [payload("end")]), ended(first)])
                try require(try store.endedLoops(), is: [first], "ended loops")
                try store.commit([start(other, effects: [payload("end")]), ended(second)])
            }
            try session(open) { store in
                try require(try store.endedLoops(), is: [first, second], "ended loops in the next session")
                try require(try store.end(of: other), is: second, "one of them")
                try require(try store.tail(of: other).last, is: ended(second), "its last record")
                try require(try RecoveredLoop.read(.main, from: store).loop.hasEnded, is: true, "the folded loop")
                try store.commit([startAgain(2), outside(3, "l")])
                try require(try store.endedLoops(), is: [second], "what has not begun again")
            }
            try session(open) { store in
                try require(try store.end(of: .main), is: nil, "the end of the other")
                let loop = try RecoveredLoop.read(.main, from: store).loop
                try require(loop.hasEnded, is: false, "the folded loop")
                try require(loop.lastSequence, is: 3, "its last event")
                try require(try store.hasApplied(key: "k", of: .main), is: true, "a key from before the end")
            }
        },
        Check("a loop that an operator ends has ended, with who and why in its history") { open in
            let end = EndedLoop(loop: .main, sequence: 1, time: time(70), mayBeginAgain: false, outstanding: 1)
            let remark = EffectRemark.acted("end", by: "ann", why: "it is lost", at: time(70))
            let records: [JournalRecord] = [
                .note(.none(of: .main, at: 1), .remarked(remark)),
                .note(
                    .none(of: .main, at: 1),
                    .loopEnded(mayBeginAgain: end.mayBeginAgain, outstanding: end.outstanding, at: end.time)),
            ]
            let sent = PendingEffect(id: effect(1), effect: payload("send"))
            try session(open) { store in
                try store.commit([start(), outside(1, "k", effects: [sent.effect])])
                try store.save(snapshot(1, model: payload("model"), pending: [sent]))
                try store.commit(records)
            }
            try session(open) { store in
                try require(try store.endedLoops(), is: [end], "ended loops")
                try require(try store.tail(of: .main), is: records, "its last records")
                let loop = try RecoveredLoop.read(.main, from: store).loop
                try require(loop.hasEnded, is: true, "the folded loop")
                try require(loop.pending.map(\.id), is: [effect(1)], "what it had sent")
                try store.save(snapshot(1, model: payload("last"), pending: [sent]))
                try require(try store.newestSnapshot(of: .main)?.model, is: payload("last"), "its last model")
            }
        },
        Check("a loop that has begun again is known to have, also when its beginning is compacted away") { open in
            let end = EndedLoop(loop: .main, sequence: 1, time: time(1), mayBeginAgain: true)
            try session(open) { store in
                try store.commit([start(), start(other), outside(1, "k", effects: [payload("end")])])
                try require(try store.beginning(of: .main), is: 0, "its first beginning")
                try store.commit([ended(end)])
                try store.commit([startAgain(2), outside(3, "l")])
                try require(try store.beginning(of: .main), is: 2, "its second beginning")
                try store.save(snapshot(3, model: payload("one")))
                try store.commit([outside(4, "m")])
                try store.save(snapshot(4, model: payload("two")))
                try store.commit([outside(5, "n")])
                try store.save(snapshot(5, model: payload("three")))
            }
            try session(open) { store in
                try require(try store.beginning(of: .main), is: 2, "its second beginning in the next session")
                try require(try store.beginning(of: other), is: 0, "that of another")
                let again = EndedLoop(loop: .main, sequence: 5, time: time(1), mayBeginAgain: true)
                try store.commit([ended(again)])
                var parts = 1
                while try !store.remove(ended: .main, rows: 20), parts < 100 { parts += 1 }
                try require(try store.beginning(of: .main), is: 0, "nothing of it is left")
            }
        },
        Check("new loops begin above the numbers of all that were removed, and are read from there") { open in
            let end = EndedLoop(loop: .main, sequence: 2, time: time(1), mayBeginAgain: false)
            try session(open) { store in
                try require(try store.newLoops(), is: 0, "the first number before a removal")
                try store.commit([start(), outside(1, "k"), outside(2, "l", effects: [payload("end")]), ended(end)])
                while try !store.remove(ended: .main, rows: 20) {}
                try require(try store.newLoops(), is: 3, "the first number after it")
                try store.commit([startAgain(3), outside(4, "k"), start(other)])
            }
            try session(open) { store in
                try require(try store.newLoops(), is: 3, "the first number in the next session")
                try require(try store.beginning(of: .main), is: 3, "the beginning")
                let loop = try RecoveredLoop.read(.main, from: store).loop
                try require(loop.lastSequence, is: 4, "the last event")
                let page = try store.entries(of: .main, JournalRange(limit: 9))
                try require(page.first, is: 3, "the first event in the history")
                try require(page.entries.map(\.record), is: [startAgain(3), outside(4, "k")], "the history")
                try store.save(snapshot(4, model: payload("four")))
                try store.commit([outside(5, "m")])
                try store.save(snapshot(5, model: payload("five")))
                try store.commit([outside(6, "n")])
                try store.save(snapshot(6, model: payload("six")))
                let again = EndedLoop(loop: .main, sequence: 6, time: time(1), mayBeginAgain: false)
                try store.commit([ended(again)])
                while try !store.remove(ended: .main, rows: 20) {}
                try require(try store.newLoops(), is: 7, "the first number after the second removal")
            }
        },
        Check("an ended loop's last model and history are kept") { open in
            let end = EndedLoop(loop: .main, sequence: 1, time: time(1), mayBeginAgain: false)
            let last = snapshot(1, model: payload("the last model"))
            try session(open) { store in
                try store.commit([start(), outside(1, "k", effects: [payload("end")]), ended(end)])
                try store.save(last)
            }
            try session(open) { store in
                try require(try store.newestSnapshot(of: .main), is: last, "the model")
                let page = try store.entries(of: .main, JournalRange(limit: 9))
                try require(page.entries.map(\.record).last, is: ended(end), "the end in the history")
            }
        },
        Check("what senders were told goes with a removed loop, and is not told for one that begins later") { open in
            let end = EndedLoop(loop: other, sequence: 1, time: time(1), mayBeginAgain: false)
            try session(open) { store in
                try store.commit([start(), start(other, effects: [payload("end")])])
                try store.commit([replied(1, "a", answer, of: other), ended(end)])
                var parts = 1
                while try !store.remove(ended: other, rows: 20), parts < 100 { parts += 1 }
                try store.commit([start(other), replied(1, "b", nil, of: other)])
                try require(try store.confirmation(of: "b", in: other)?.reply, is: nil, "its own answer")
                try require(try store.confirmation(of: "a", in: other), is: nil, "the answer before")
            }
        },
        Check("a removed loop is gone in parts, and its name is new then") { open in
            let end = EndedLoop(loop: .main, sequence: 40, time: time(1), mayBeginAgain: false)
            try session(open) { store in
                try store.commit([start(), start(other)])
                for number in 1...40 as ClosedRange<UInt64> {
                    try store.commit([outside(number, "key \(number)", effects: [payload("end")])])
                }
                try store.commit([.note(effect(1), .deadLettered(letter(effect(1)))), ended(end)])
                try store.save(snapshot(40, model: payload("last")))
                try require(try store.remove(ended: other, rows: 9), is: true, "one that has not ended")
                try require(try store.loops(), is: [.main, other], "loops")
                try require(try store.endedLoops().map(\.isRemoving), is: [false], "what is whole")
                try require(try store.remove(ended: .main, rows: 20), is: false, "an end after one part")
            }
            try session(open) { store in
                var left = end
                left.isRemoving = true
                try require(try store.endedLoops(), is: [left], "ended loops while a part is left")
                try require(try store.end(of: .main), is: left, "the end while a part is left")
                var parts = 1
                while try !store.remove(ended: .main, rows: 20), parts < 100 { parts += 1 }
                try require(parts < 100, is: true, "an end of the removal")
                try require(try store.endedLoops(), is: [], "ended loops")
                try require(try store.loops(), is: [other], "loops")
                try require(try store.newestSnapshot(of: .main), is: nil, "the model")
                try require(try store.hasApplied(key: "key 7", of: .main), is: false, "a key")
                try require(try store.deadLetterCount(of: nil), is: 0, "dead letters")
                try store.commit([start(), outside(1, "key 7")])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: [start(), outside(1, "key 7")], "the new loop")
                try require(try store.tail(of: other), is: [start(other)], "the other loop")
            }
        },
    ]

    static func ended(_ end: EndedLoop) -> JournalRecord {
        .note(
            effect(end.sequence, of: end.loop),
            .loopEnded(mayBeginAgain: end.mayBeginAgain, outstanding: end.outstanding, at: end.time))
    }

    private static func startAgain(_ sequence: UInt64) -> JournalRecord {
        .event(EventRecord(loop: .main, sequence: sequence, source: .start, event: nil, effects: [], ends: nil))
    }
}
