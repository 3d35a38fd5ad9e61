import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let idleChecks = [
        Check("an idle loop is not among those to recover, until its next record") { open in
            try session(open) { store in
                try store.commit([start(), start(other), outside(1, "k", of: other)])
                try require(try store.activeLoops(), is: [.main, other], "after their beginning")
                try store.park([IdleLoop(loop: other, sequence: 1, time: time(5))], [])
                try require(try store.activeLoops(), is: [.main], "while it is idle")
                try require(try store.loops(), is: [.main, other], "all loops")
            }
            try session(open) { store in
                try require(try store.activeLoops(), is: [.main], "at the next start")
                try require(try store.idleTotals(), is: IdleTotals(loops: 1, events: 1), "totals at the next start")
                try require(try store.tail(of: other).count, is: 2, "its records")
                try require(try store.activeLoops(), is: [.main], "after it was read")
                try store.commit([outside(2, "l", of: other)])
                try require(Set(try store.activeLoops()), is: [.main, other], "after its next event")
                try require(try store.idleTotals(), is: IdleTotals(), "totals after its next event")
            }
            try session(open) { store in
                try require(Set(try store.activeLoops()), is: [.main, other], "at the start after it")
                try require(try store.tail(of: other).count, is: 3, "its records")
            }
        },
        Check("a note on an effect makes an idle loop active, too") { open in
            try session(open) { store in
                try store.commit([start(effects: [payload("a")]), .note(effect(0), .ended)])
                try store.park([IdleLoop(loop: .main, sequence: 0)], [])
                try require(try store.activeLoops(), is: [], "while it is idle")
                try store.commit([.note(effect(0), .requeued(payload("a"), round: 1, at: time(1)))])
                try require(try store.activeLoops(), is: [.main], "after the note")
            }
            try session(open) { try require(try $0.activeLoops(), is: [.main], "at the next start") }
        },
        Check("snapshots of idle loops are kept with the news that they are idle") { open in
            try session(open) { store in
                try store.commit([start(), start(other)])
                try store.park(
                    [IdleLoop(loop: .main, sequence: 0), IdleLoop(loop: other, sequence: 0)],
                    [snapshot(0, model: payload("m"))])
                try require(try store.idleTotals(), is: IdleTotals(loops: 2, events: 0), "totals")
                try store.park([IdleLoop(loop: .main, sequence: 0)], [])
                try require(try store.idleTotals(), is: IdleTotals(loops: 2, events: 0), "totals after a repetition")
            }
            try session(open) { store in
                try require(try store.newestSnapshot(of: .main), is: snapshot(0, model: payload("m")), "snapshot")
                try require(try store.tail(of: .main), is: [], "tail")
                try require(try store.newestSnapshot(of: other), is: nil, "another loop's snapshot")
                try require(try store.activeLoops(), is: [], "to recover")
                try store.commit([outside(1, "k")])
                try store.park([IdleLoop(loop: .main, sequence: 1)], [snapshot(1, model: payload("n"))])
            }
            try session(open) { store in
                try require(try store.between(of: .main), is: [outside(1, "k")], "between the snapshots")
                try require(try store.idleTotals(), is: IdleTotals(loops: 2, events: 1), "totals at the end")
            }
        },
        Check("pages of loops are in the order of their names' bytes, and tell which are idle") { open in
            let names = ["a", "a/1", "a/2", "ab", "b", "é", "\u{1F600}"].compactMap { LoopID($0) }
            try session(open) { store in
                for name in names.reversed() { try store.commit([start(name)]) }
                try store.park([IdleLoop(loop: names[1], sequence: 0, time: time(9))], [])
            }
            try session(open) { store in
                let all = try store.loopPage(prefix: "", after: nil, limit: 10)
                try require(all.map(\.loop), is: names, "all names")
                try require(
                    all.compactMap(\.idle), is: [IdleLoop(loop: names[1], sequence: 0, time: time(9))], "idle ones")
                let page = try store.loopPage(prefix: "a", after: names[0], limit: 2).map(\.loop)
                try require(page, is: [names[1], names[2]], "the page behind a")
                try require(
                    try store.loopPage(prefix: "a", after: names[2], limit: 2).map(\.loop), is: [names[3]], "end")
                try require(try store.loopPage(prefix: "b", after: names[0], limit: 2).map(\.loop), is: [names[4]], "b")
                try require(try store.loopPage(prefix: "c", after: nil, limit: 2).map(\.loop), is: [], "no such name")
                try require(try store.contains(names[3]), is: true, "a name that exists")
                try require(try store.contains(.main), is: false, "a name that does not")
                try require(try store.loopCount(ofKind: "a"), is: 2, "loops of the kind a")
                try require(try store.loopCount(ofKind: "b"), is: 0, "loops of the kind b")
            }
        },
        Check("dead letters are counted by loop, also those of idle ones") { open in
            try session(open) { store in
                try store.commit([start(effects: [payload("a")]), start(other)])
                let dead = letter(effect(0))
                try store.commit([.note(effect(0), .deadLettered(dead)), .note(effect(0), .ended)])
                try store.park([IdleLoop(loop: .main, sequence: 0)], [])
            }
            try session(open) { try require(try $0.deadLetterCounts(), is: [.main: 1], "dead letters by loop") }
        },
    ]
}
