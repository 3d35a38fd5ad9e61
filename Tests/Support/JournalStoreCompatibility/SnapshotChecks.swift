import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let snapshotChecks = [
        Check("a snapshot comes back as it was, the newest one") { open in
            let pending = [
                PendingEffect(id: effect(0, 1), effect: payload("b")),
                PendingEffect(
                    id: effect(0, .max), effect: payload("", binary),
                    reported: ReportID(
                        attempt: AttemptID(effect: effect(0, .max), attempt: Attempt(epoch: 2, number: 3)), number: 4),
                    asked: time(-1), due: time(.min), fired: time(.max), failures: 5,
                    started: Attempt(epoch: 6, number: 7), round: 8),
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
                try require(
                    try store.olderSnapshot(of: .main), is: snapshot(1, model: payload("at 1")), "the older one")
                try require(try store.olderSnapshot(of: other), is: nil, "another loop's older snapshot")
                try require(try store.newestSnapshot(of: other), is: nil, "another loop's snapshot")
            }
        },
        Check("the tail begins after the newest snapshot") { open in
            try session(open) { store in
                try store.commit([start(), outside(1, "k"), .note(effect(0), .ended)])
                try store.save(snapshot(1, model: payload("at 1")))
                try require(try store.tail(of: .main), is: [], "tail right after it")
                try store.commit([.note(effect(0, 1), .ended), outside(2, "l")])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: [.note(effect(0, 1), .ended), outside(2, "l")], "tail")
                try store.save(snapshot(2, model: payload("at 2")))
            }
            try session(open) { try require(try $0.tail(of: .main), is: [], "tail after the second") }
        },
        Check("what came between the snapshots can be read again, from the start before there are two") { open in
            try session(open) { store in
                try store.commit([start(), outside(1, "k"), .note(effect(0), .ended)])
                try require(try store.between(of: .main), is: [], "before the first")
                try store.save(snapshot(1, model: payload("at 1")))
                let first = [start(), outside(1, "k"), .note(effect(0), .ended)]
                try require(try store.between(of: .main), is: first, "before the second")
                try store.commit([.note(effect(0, 1), .ended), outside(2, "l")])
                try store.save(snapshot(2, model: payload("at 2")))
            }
            try session(open) { store in
                let second = [.note(effect(0, 1), .ended), outside(2, "l")]
                try require(try store.between(of: .main), is: second, "between two")
                try store.commit([outside(3, "m")])
                try require(try store.between(of: .main), is: second, "and no later ones")
                try store.save(snapshot(3, model: payload("at 3")))
                try require(try store.between(of: .main), is: [outside(3, "m")], "between the next two")
                try store.save(snapshot(3, model: payload("at 3")))
                try require(try store.between(of: .main), is: [], "between two at one event")
            }
        },
        Check("a second snapshot at the same event replaces the first") { open in
            try session(open) { store in
                try store.commit([start(effects: [payload("a")])])
                try store.save(
                    snapshot(0, model: payload("m"), pending: [PendingEffect(id: effect(0), effect: payload("a"))]))
                try store.commit([.note(effect(0), .ended)])
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
