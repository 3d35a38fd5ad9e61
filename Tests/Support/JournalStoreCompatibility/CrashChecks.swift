import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let crashChecks = [
        Check("crashes on one event are counted, once per epoch") { open in
            let crumb = Breadcrumb(loop: .main, source: .outside("k"), event: payload("boom"), replayed: nil)
            let second = Breadcrumb(loop: .main, source: .outside("k"), event: nil, isCut: true, replayed: 7)
            try session(open) { store in
                try require(try store.noteCrash(crumb, build: "1", epoch: 4, at: time(1)), is: 1, "the first time")
                try require(try store.noteCrash(crumb, build: "1", epoch: 4, at: time(2)), is: 1, "the same")
            }
            try session(open) { store in
                let crash = Crash(breadcrumb: crumb, count: 1, build: "1", epoch: 4, time: time(2))
                try require(try store.crashes(), is: [crash], "crashes")
                try require(try store.noteCrash(second, build: "2", epoch: 5, at: time(3)), is: 2, "the second time")
                try require(
                    try store.crashes(),
                    is: [Crash(breadcrumb: second, count: 2, build: "2", epoch: 5, time: time(3))], "as it was last")
            }
        },
        Check("crashes on different events are told apart, and forgotten apart") { open in
            let attempt = AttemptID(effect: effect(3, 1), attempt: Attempt(epoch: .max, number: .max))
            let sources: [SourceKey] = [
                .start, .outside(""), .outside("k\u{0}"), .report(attempt, number: .max), .report(attempt, number: 1),
                .failure(effect(3, 1), round: 0), .failure(effect(3, 1), round: 1),
                .timer(effect(3, 1), due: time(.min)),
                .timer(effect(3, 1), due: time(0)), .answer(effect(3, 1)),
            ]
            let crumbs =
                sources.map { Breadcrumb(loop: .main, source: $0, event: payload("e", binary)) }
                + [Breadcrumb(loop: other, source: .start, event: nil)]
            try session(open) { store in
                for crumb in crumbs {
                    try require(try store.noteCrash(crumb, build: "1", epoch: 1, at: time(1)), is: 1, "\(crumb.source)")
                }
                try store.forgetCrash(.outside(""), of: .main)
                try store.forgetCrash(.outside("unknown"), of: .main)
            }
            try session(open) { store in
                try require(try store.crashes().map(\.breadcrumb), is: [crumbs[0]] + Array(crumbs[2...]), "the others")
                try require(try store.noteCrash(crumbs[1], build: "1", epoch: 1, at: time(1)), is: 1, "anew")
            }
        },
        Check("an event that is to be dropped is remembered, until it is forgotten") { open in
            let crumb = Breadcrumb(loop: .main, source: .outside("k"), event: nil)
            try session(open) { store in
                _ = try store.noteCrash(crumb, build: "1", epoch: 1, at: time(1))
                try store.markDropped(.outside("k"), of: .main)
                try store.markDropped(.outside("unknown"), of: .main)
                try store.markDropped(.outside("k"), of: other)
            }
            try session(open) { store in
                _ = try store.noteCrash(crumb, build: "1", epoch: 2, at: time(1))
                try require(try store.crashes().map(\.isDropped), is: [true], "dropped")
                try store.forgetCrash(.outside("k"), of: .main)
                try require(try store.crashes(), is: [], "crashes")
            }
        },
    ]
}
