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
        Check("an outside key that was applied is refused, and its commit with it") { open in
            try session(open) { try $0.commit([start(), outside(1, "k")]) }
            try session(open) { store in
                try require(.conflict, "the doubled key") {
                    try store.commit([outside(2, "new"), outside(3, "k")])
                }
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: [start(), outside(1, "k")], "tail")
                try store.commit([outside(2, "new"), outside(3, "l")])
            }
        },
        Check("a key twice in one commit is refused, and its commit with it") { open in
            try session(open) { store in
                try require(.conflict, "the doubled key") {
                    try store.commit([start(), outside(1, "k"), outside(2, "k")])
                }
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: [], "tail")
                try store.commit([start(), outside(1, "k")])
            }
        },
    ]
}
