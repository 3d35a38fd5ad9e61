import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let keyChecks = [
        Check("the newest outside keys come back, oldest first") { open in
            try session(open) { store in
                try store.commit([start(), outside(1, "c"), outside(2, "a"), report(3, on: effect(1))])
                try store.commit([outside(4, "d"), outside(5, "b"), start(other), outside(1, "z", of: other)])
                try store.save(snapshot(5, model: payload("m")))
            }
            try session(open) { store in
                try require(try store.outsideKeys(of: .main, limit: 10), is: ["c", "a", "d", "b"], "all")
                try require(try store.outsideKeys(of: .main, limit: 2), is: ["d", "b"], "the newest two")
                try require(try store.outsideKeys(of: .main, limit: 0), is: [], "none")
                try require(try store.outsideKeys(of: other, limit: 10), is: ["z"], "another loop's")
            }
        },
        Check("an outside key that was applied is known, another one is not") { open in
            try session(open) { store in
                try store.commit([start(), outside(1, "k\u{0}"), start(other), outside(1, "l", of: other)])
                try require(try store.hasApplied(key: "k\u{0}", of: .main), is: true, "the key")
            }
            try session(open) { store in
                try require(try store.hasApplied(key: "k\u{0}", of: .main), is: true, "the key, later")
                try require(try store.hasApplied(key: "k", of: .main), is: false, "its beginning")
                try require(try store.hasApplied(key: "l", of: .main), is: false, "another loop's")
                try require(try store.hasApplied(key: "l", of: other), is: true, "the same in its loop")
            }
        },
        Check("keys that look the same and have other bytes are two, and so are loops") { open in
            let loops = ["caf\u{e9}", "cafe\u{301}"].compactMap { LoopID($0) }
            try session(open) { store in
                try store.commit([start(), outside(1, "\u{e9}")])
                try require(try store.hasApplied(key: "e\u{301}", of: .main), is: false, "the other form")
                try store.commit([outside(2, "e\u{301}")])
                try store.commit([start(loops[0]), start(loops[1]), outside(1, "k", of: loops[1])])
            }
            try session(open) { store in
                let keys = try store.outsideKeys(of: .main, limit: 10)
                try require(keys.map { Array($0.utf8) }, is: [[0xc3, 0xa9], [0x65, 0xcc, 0x81]], "keys")
                let names = try store.loops().map { Array($0.name.utf8) }
                try require(names, is: [LoopID.main, loops[0], loops[1]].map { Array($0.name.utf8) }, "loops")
                try require(try store.hasApplied(key: "k", of: loops[0]), is: false, "the other loop's key")
            }
        },
        Check("an outside key that is applied again stops nobody, and is the newest then") { open in
            let records = [
                start(), outside(1, "k"), outside(2, "l"), outside(3, "k"), outside(4, "m"), outside(5, "m"),
            ]
            try session(open) { store in
                try store.commit(Array(records[..<3]))
                try store.commit(Array(records[3...]))
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: records, "tail")
                try require(try store.outsideKeys(of: .main, limit: 10), is: ["l", "k", "m"], "keys")
            }
        },
    ]
}
