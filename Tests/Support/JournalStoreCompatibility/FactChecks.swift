import MobiusJournal
import MobiusWire

private let third = LoopID("a third loop") ?? .main
private let zero = FactRange(lower: [0], upper: nil)

private func fact(_ name: String, _ key: UInt8...) -> StoredFact { StoredFact(name: name, key: key) }

extension JournalReading {
    /// The loops that a fact finds, one page after the other.
    fileprivate func found(
        _ fact: String, _ range: FactRange = .all, descending: Bool = false, page: Int = 1
    ) throws -> [LoopID] {
        var (loops, after): ([LoopID], FactPlace?) = ([], nil)
        while true {
            let entries = try factEntries(fact, in: range, after: after, descending: descending, limit: page)
            loops += entries.map(\.loop)
            guard let last = entries.last, loops.count < 100 else { return loops }
            after = FactPlace(key: last.key, loop: last.loop)
        }
    }

    fileprivate func facts(of loop: LoopID) throws -> [String: [UInt8]] {
        try factEntries(prefix: loop.name, after: nil, limit: 1).first { $0.loop == loop }?.facts ?? [:]
    }
}

extension JournalStoreCompatibility {
    static let factChecks = [
        Check("loops are found by their facts, in the order of values and names, over pages") { open in
            try session(open) { store in
                try store.commit(
                    group: [[start(), start(other)], [start(third)]],
                    facts: [
                        FactChange(.main, replacedBy: [fact("a", 1), fact("b", 7)]),
                        FactChange(other, replacedBy: [fact("a", 1, 0)]),
                        FactChange(third, replacedBy: [fact("a", 1), fact("c", 0)]),
                    ])
            }
            try session(open) { store in
                for page in 1...4 {
                    try require(try store.found("a", page: page), is: [third, .main, other], "by a, pages of \(page)")
                    try require(
                        try store.found("a", descending: true, page: page), is: [other, .main, third], "from its end")
                }
                try require(try store.found("a", FactRange(only: [1])), is: [third, .main], "of one value")
                try require(
                    try store.found("a", FactRange(only: [1]), descending: true), is: [.main, third], "from its end")
                try require(try store.found("a", FactRange(lower: [1, 0], upper: nil)), is: [other], "from a value on")
                try require(try store.found("a", FactRange(lower: [2], upper: [9])), is: [], "of no value")
                try require(try store.found("d"), is: [], "by a fact that none has")
                try require(try store.factCount("a", in: .all, atMost: 2), is: 2, "counted up to a limit")
                try require(try store.factCount("a", in: FactRange(only: [1]), atMost: 9), is: 2, "counted")
                let entry = try store.factEntries("c", in: zero, after: nil, descending: false, limit: 1)
                try require(
                    entry, is: [FactEntry(loop: third, key: [0], facts: ["a": [1], "c": [0]])], "with all its facts")
                let names = [third, other, .main]
                try require(
                    try store.factEntries(prefix: "", after: nil, limit: 9).map(\.loop), is: names, "by name")
                try require(
                    try store.factEntries(prefix: "a", after: third, limit: 9).map(\.loop), is: [other], "by prefix")
                try require(
                    try store.factEntries(prefix: "", after: nil, limit: 2).map(\.loop), is: [third, other], "a page")
            }
        },
        Check("facts change with the records of their commit") { open in
            try session(open) { store in
                try store.commit(
                    group: [[start()]], facts: [FactChange(.main, replacedBy: [fact("a", 1), fact("b", 2)])])
                let change = FactChange(
                    .main, from: [fact("a", 1), fact("b", 2)], to: [fact("a", 1), fact("c", 3)])
                try store.commit(group: [[outside(1, "k")]], facts: change.map { [$0] } ?? [])
            }
            try session(open) { store in
                try require(try store.facts(of: .main), is: ["a": [1], "c": [3]], "after a difference")
                try store.commit(
                    group: [[outside(2, "l")], [outside(3, "m")]],
                    facts: [
                        FactChange(.main, replacedBy: [fact("d", 4)]),
                        FactChange(.main, from: [fact("d", 4)], to: [fact("d", 5)]),
                    ].compactMap(\.self))
                try require(try store.facts(of: .main), is: ["d": [5]], "after two changes in one commit")
                try store.commit(group: [[outside(4, "n")]], facts: [FactChange(.main, replacedBy: [])])
                try require(try store.factEntries(prefix: "", after: nil, limit: 9), is: [], "after the last is gone")
                let same = FactChange(.main, from: [fact("a", 1)], to: [fact("a", 1)])
                try require(same, is: nil, "a difference of equal lists")
            }
        },
        Check("facts are computed anew for loops that had no event since, and the progress is that of one build") {
            open in
            try session(open) { store in
                try store.commit(
                    group: [[start(), start(other)]], facts: [FactChange(.main, replacedBy: [fact("a", 1)])])
                try require(try store.factProgress(), is: .upTo(nil), "the progress of a new journal")
                try store.commit([outside(1, "k")])
                try store.rebuild(
                    [
                        RebuiltFacts(loop: .main, sequence: 0, facts: [fact("a", 9)]),
                        RebuiltFacts(loop: other, sequence: 0, facts: [fact("a", 2)]),
                    ], step: FactStep(after: nil, to: .upTo(other)))
                try require(try store.facts(of: .main), is: ["a": [1]], "a loop with an event since")
                try require(try store.facts(of: other), is: ["a": [2]], "another loop")
            }
            try session(open) { store in
                try require(try store.factProgress(), is: .upTo(other), "the progress at the next start")
                try store.rebuild([], step: FactStep(after: other, to: .complete))
                try require(try store.factProgress(), is: .complete, "the progress at the end")
            }
            try session(open) { try require(try $0.factProgress(), is: .complete, "at a later start") }
            try session(open, build: "2.0") { store in
                try require(try store.factProgress(), is: .upTo(nil), "the progress of another build")
                try require(try store.facts(of: other), is: ["a": [2]], "the facts of the build before")
            }
            try session(open) { try require(try $0.factProgress(), is: .upTo(nil), "after another build") }
        },
        Check("facts of loops that there are no longer go with the part in which they are") { open in
            try session(open) { store in
                try store.commit(
                    group: [[start(), start(other)]],
                    facts: [
                        FactChange(.main, replacedBy: [fact("a", 1)]), FactChange(third, replacedBy: [fact("a", 2)]),
                    ])
                try store.rebuild([], step: FactStep(after: other, to: .upTo(.main)))
                try require(try store.found("a"), is: [.main, third], "outside of the part")
                try store.rebuild([], step: FactStep(after: nil, to: .upTo(other)))
                try require(try store.found("a"), is: [.main], "in it")
            }
        },
        Check("the facts of an ended loop go when it is removed") { open in
            let end = EndedLoop(loop: other, sequence: 1, time: time(1), mayBeginAgain: false)
            try session(open) { store in
                try store.commit(
                    group: [
                        [start(), start(other, effects: [payload("end")]), outside(1, "k", of: other), ended(end)]
                    ],
                    facts: [
                        FactChange(.main, replacedBy: [fact("a", 1)]), FactChange(other, replacedBy: [fact("a", 2)]),
                    ])
                try require(try store.found("a"), is: [.main, other], "while it is kept")
                var parts = 1
                while try !store.remove(ended: other, rows: 20), parts < 100 { parts += 1 }
                try require(try store.found("a"), is: [.main], "afterwards")
            }
        },
    ]
}
