import MobiusDriver
import MobiusEngine
import MobiusWire
import Testing

/// Which model is encoded next, and for whom.
@Suite struct ModelReadsTests {
    private var reads = ModelReads()
    private let ada = RequestID(1)
    private let bob = RequestID(2)
    private let eve = RequestID(3)
    private let start = Moment(nanoseconds: 0)

    private func loop(_ name: String) -> LoopID { LoopID(name) ?? .main }

    @Test mutating func `requests of one loop share one encoding, and those that come meanwhile get the next`() {
        reads.read(.main, ada)
        reads.read(.main, bob)
        #expect(reads.next() == .main)
        reads.read(.main, eve)
        #expect(reads.next() == nil)  // one is under way
        #expect(reads.encoded(bytes: 10) == [ada, bob])
        #expect(reads.next() == .main)
        #expect(reads.encoded(bytes: 10) == [eve])
        #expect(reads.next() == nil)
    }

    @Test mutating func `loops are served in turn`() {
        reads.read(loop("a"), ada)
        reads.read(loop("b"), bob)
        #expect(reads.next() == loop("a"))
        reads.read(loop("a"), eve)
        _ = reads.encoded(bytes: 0)
        #expect(reads.next() == loop("b"))
        _ = reads.encoded(bytes: 0)
        #expect(reads.next() == loop("a"))
    }

    @Test mutating func `a watcher waits for the next event of its loop`() {
        reads.watch(.main, ada, at: start)
        #expect(reads.isWatched(.main) && !reads.isWatched(loop("a")))
        #expect(reads.next() == nil)
        reads.changed(loop("a"))
        #expect(reads.next() == nil)
        reads.changed(.main)
        #expect(!reads.isWatched(.main))
        #expect(reads.next() == .main)
        #expect(reads.encoded(bytes: 1) == [ada])
    }

    @Test mutating func `a watcher whose client is gone is removed once, and one that is being answered is not`() {
        reads.watch(.main, ada, at: start)
        reads.watch(.main, bob, at: start)
        let (first, again, elsewhere) = (
            reads.unwatch(.main, ada), reads.unwatch(.main, ada), reads.unwatch(loop("a"), bob)
        )
        #expect(first && !again && !elsewhere)
        reads.changed(.main)
        let late = reads.unwatch(.main, bob)
        #expect(!late)
        #expect(reads.next() == .main)
        #expect(reads.encoded(bytes: 1) == [bob])
        #expect(reads.expired(at: start + ModelReads.patience) == [] && reads.nextDeadline == nil)
    }

    @Test mutating func `a watcher that has waited long enough is let go, and no other`() {
        #expect(reads.nextDeadline == nil)
        reads.watch(.main, ada, at: start)
        reads.watch(loop("a"), bob, at: start + .seconds(10))
        #expect(reads.nextDeadline == start + ModelReads.patience)
        #expect(reads.expired(at: start + .seconds(1)) == [])
        #expect(reads.expired(at: start + ModelReads.patience) == [ada])
        #expect(!reads.isWatched(.main) && reads.isWatched(loop("a")))
        #expect(reads.expired(at: start + ModelReads.patience + .seconds(10)) == [bob])
        #expect(reads.nextDeadline == nil)
    }

    @Test mutating func `while many bytes wait for their commit, nothing more is encoded`() {
        reads.read(loop("a"), ada)
        reads.read(loop("b"), bob)
        _ = reads.next()
        #expect(reads.encoded(bytes: ModelReads.uncommittedBytes) == [ada])
        #expect(reads.next() == nil)
        reads.sent(bytes: ModelReads.uncommittedBytes)
        #expect(reads.next() == loop("b"))
    }

    @Test mutating func `the requests for a loop that is held are given back`() {
        reads.read(.main, ada)
        reads.watch(.main, bob, at: start)
        reads.read(loop("a"), eve)
        #expect(reads.remove(.main) == [ada, bob])
        #expect(reads.next() == loop("a"))
        #expect(reads.expired(at: start + ModelReads.patience) == [])
    }
}
