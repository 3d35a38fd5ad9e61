import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let openingChecks = [
        Check("a new journal is empty") { open in
            try session(open) { store in
                try require(store.epoch >= 1, is: true, "the epoch is from 1")
                try require(try store.newestSnapshot(of: .main), is: nil, "snapshot")
                try require(try store.tail(of: .main), is: [], "tail")
                try require(try store.outsideKeys(of: .main, limit: 10), is: [], "keys")
            }
        },
        Check("each start has a greater epoch and the same identity") { open in
            let first = try session(open) { ($0.epoch, $0.identity) }
            let second = try session(open) { ($0.epoch, $0.identity) }
            try require(second.0 > first.0, is: true, "the epoch grows from \(first.0) to \(second.0)")
            try require(second.1, is: first.1, "identity")
        },
        Check("a commit of nothing is a commit") { open in
            try session(open) { try $0.commit([]) }
            try session(open) { try require(try $0.tail(of: .main), is: [], "tail") }
        },
    ]
}
