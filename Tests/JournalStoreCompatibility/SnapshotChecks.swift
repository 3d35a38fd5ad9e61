import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let snapshotChecks = [
        Check("a snapshot comes back as it was, the newest one") { open in
            let pending = [
                PendingEffect(id: effect(0, 1), effect: payload("b")),
                PendingEffect(id: effect(0, .max), effect: payload("", binary)),
            ]
            let model = Payload(kind: binary, bytes: (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 3) })
            let last = snapshot(2, model: model, pending: pending)
            try session(open) { store in
                try store.commit([start()])
                try store.save(snapshot(0, model: payload("at 0")))
                try store.commit([outside(1, "k")])
                try store.save(snapshot(1, model: payload("at 1")))
                try store.commit([outside(2, "l")])
                try store.save(last)
                try require(try store.newestSnapshot(of: .main) == last, is: true, "snapshot in the same session")
            }
            try session(open) { store in
                try require(try store.newestSnapshot(of: .main) == last, is: true, "snapshot in the next session")
                try require(try store.newestSnapshot(of: other), is: nil, "another loop's snapshot")
            }
        },
        Check("the tail begins after the newest snapshot") { open in
            try session(open) { store in
                try store.commit([start(), outside(1, "k"), .ended(effect(0))])
                try store.save(snapshot(1, model: payload("at 1")))
                try require(try store.tail(of: .main), is: [], "tail right after it")
                try store.commit([.ended(effect(0, 1)), outside(2, "l")])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: [.ended(effect(0, 1)), outside(2, "l")], "tail")
                try store.save(snapshot(2, model: payload("at 2")))
            }
            try session(open) { try require(try $0.tail(of: .main), is: [], "tail after the second") }
        },
        Check("a second snapshot at the same event replaces the first") { open in
            try session(open) { store in
                try store.commit([start(effects: [payload("a")])])
                try store.save(
                    snapshot(0, model: payload("m"), pending: [PendingEffect(id: effect(0), effect: payload("a"))]))
                try store.commit([.ended(effect(0))])
                try store.save(snapshot(0, model: payload("m")))
            }
            try session(open) { store in
                try require(try store.newestSnapshot(of: .main), is: snapshot(0, model: payload("m")), "snapshot")
                try require(try store.tail(of: .main), is: [], "tail")
            }
        },
        Check("a model that is not what its hash says is damage") { open in
            try session(open) { store in
                try store.commit([start()])
                try store.save(Snapshot(loop: .main, sequence: 0, model: payload("m"), hash: 1, pending: []))
            }
            try session(open) { store in
                try require(.damaged, "reading it") { _ = try store.newestSnapshot(of: .main) }
            }
        },
        Check("recovery finds what was pending, wherever the snapshots were") { open in
            try session(open) { try $0.commit([History.start]) }
            var last: UInt64 = 0
            for round in UInt64(0)..<20 {
                let size = 1 + (round &* 7) % 11
                try session(open) { store in
                    let (_, loop) = try RecoveredLoop.read(.main, from: store)
                    try require(loop.lastSequence, is: last, "last event")
                    try require(loop.pending, is: History.pending(after: last), "pending after \(last)")
                    try store.commit(History.batch(after: last, count: size))
                    last += size
                    if round % 3 == 0 { try store.save(History.snapshot(at: last)) }
                }
            }
        },
    ]
}
