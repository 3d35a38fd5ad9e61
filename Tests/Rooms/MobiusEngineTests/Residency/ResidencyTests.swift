import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Where loops are, beside a dictionary of where they should be.
@Suite struct ResidencyTests {
    private enum Expected: Equatable { case inMemory, held, ended, stored }

    /// A residency of a few loops that are moved at random.
    private struct Walk {
        var residency: Residency
        var places: [LoopID: Expected] = [:]
        /// The held ones whose last life has ended: the first event of the next one holds them.
        var heldEnds: Set<LoopID> = []
        /// The highest number of an event that each loop, or one of its name before it, has had.
        var used: [LoopID: UInt64] = [:]
        var random: SplitMix64
        var now = Moment.start
        var calendar = WallClockTracker()
        static let loops = (0..<12).map { LoopID($0 % 3 == 0 ? "note/\($0)" : "loop/\($0)")! }

        init(seed: UInt64, keepEnded: Duration?) {
            var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
            configuration.idleAfter = .seconds(10)
            configuration.keepEnded = keepEnded
            configuration.kinds = LoopKinds([.init("loop"), .init("note"), .init("none")])
            residency = Residency(configuration, VisitCount())
            random = SplitMix64(seed: seed)
            _ = calendar.set(WallTime(milliseconds: 1_000_000), at: now)
        }

        var time: WallTime { calendar.time(at: now) }

        mutating func step() {
            let loop = Self.loops[Int(random.next() % UInt64(Self.loops.count))]
            now = now + .milliseconds(Int64(random.next() % 4000))
            switch (random.next() % 8, places[loop]) {
            case (_, nil), (0, .ended):
                residency.begin(loop, at: now)
                places[loop] = .inMemory
                record(loop)
            case (0, .inMemory), (1, .inMemory): record(loop)
            case (2, .inMemory):
                equals(residency.hold(loop), true)
                places[loop] = .held
            case (1, .ended):
                equals(residency.hold(loop), false)
                places[loop] = .held
                heldEnds.insert(loop)
            case (3, .inMemory):
                residency.end(loop, outstanding: 0, mayBeginAgain: true, time)
                residency.commitEnd(of: loop)
                equals(residency.takeNewestEnds(), [loop])
                places[loop] = .ended
            case (4, .inMemory):
                residency.forget(loop)  // nothing of it is on disk, so its numbers begin anew
                (places[loop], used[loop]) = (nil, nil)
            case (0, .held), (0, .stored): recover(loop)
            case (5, _): leave()
            case (6, _): remove()
            default: break
            }
        }

        private mutating func record(_ loop: LoopID) {
            guard let slot = residency.slot(of: loop) else {
                Issue.record("\(loop) is not in memory")
                return
            }
            let sequence = residency[slot].takeSequence(time, at: now)
            #expect(used[loop].map { sequence > $0 } ?? true, "event \(sequence) of \(loop) comes twice")
            used[loop] = sequence
        }

        private mutating func recover(_ loop: LoopID) {
            let last = used[loop] ?? 0
            if heldEnds.remove(loop) != nil {
                residency.recover(
                    EndedLoop(loop: loop, sequence: last, time: time, mayBeginAgain: true), outstanding: 0)
                places[loop] = .ended
                return
            }
            let wasHeld = residency.recover(ResumedLoop(loop: loop, lastSequence: last, pending: []), at: now)
            #expect(wasHeld == (places[loop] == .held))
            if places[loop] == .stored { residency.returned(loop, sequence: last) }
            places[loop] = .inMemory
        }

        /// Lets loops leave that are idle; some are used while they are stored, and stay.
        private mutating func leave() {
            let idle = residency.takeIdle(at: now)
            #expect(residency.nextIdle == nil || idle.isEmpty, "a second group leaves before the first has")
            var used: Set<LoopID> = []
            for loop in idle {
                #expect(places[loop] == .inMemory)
                guard random.next() % 3 == 0 else { continue }
                residency.use(loop, at: now)
                used.insert(loop)
            }
            let left = residency.leave(idle, at: now)
            #expect(left == idle.filter { !used.contains($0) })
            for loop in left { places[loop] = .stored }
        }

        private mutating func remove() {
            guard let moment = residency.nextRemoval, moment <= now else { return }
            let removals = residency.takeRemovals(calendar, at: now)
            for loop in removals { #expect(places[loop] == .ended || heldEnds.contains(loop)) }
            equals(residency.removed(removals, calendar, at: now), removals)
            for loop in removals where heldEnds.remove(loop) == nil { places[loop] = nil }
        }

        mutating func check() {
            for loop in Self.loops {
                let place: Expected? =
                    switch residency.place(of: loop) {
                    case .inMemory: .inMemory
                    case .held: .held
                    case .ended: .ended
                    case .stored: places[loop] == .stored ? .stored : nil
                    case .nowhere: nil
                    }
                #expect(place == places[loop], "\(loop) should be \(String(describing: places[loop]))")
                #expect(residency.knows(loop) == (places[loop] != nil && places[loop] != .stored))
            }
            #expect(residency.kept == places.count)
            for count in residency.countsByKind {
                let own = places.filter { $0.key.name.hasPrefix("\(count.kind)/") }.values
                let (ended, held) = (own.count { $0 == .ended }, own.count { $0 == .held })
                #expect([count.kept, count.loops, count.held] == [own.count, own.count - ended, held])
            }
            let named = places.filter { $0.value == .inMemory || $0.value == .held }.map(\.key.name)
            #expect(residency.names.sorted() == named.sorted())
        }
    }

    @Test(arguments: 1...20)
    func `every loop is at one place, however loops move, and no number of an event comes twice`(seed: UInt64) {
        var walk = Walk(seed: seed, keepEnded: seed % 2 == 0 ? .seconds(20) : nil)
        for _ in 0..<1000 {
            walk.step()
            walk.check()
        }
        #expect(walk.residency.idle.loops == UInt64(walk.places.values.count { $0 == .stored }))
    }

    @Test func `a loop with pending effects stays, and leaves once they have ended`() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.idleAfter = .seconds(10)
        var residency = Residency(configuration, VisitCount())
        let shop = LoopID("shop")!
        residency.begin(shop, at: .start)
        guard let slot = residency.slot(of: shop) else {
            Issue.record("it is not in memory")
            return
        }
        _ = residency[slot].takeSequence(WallTime(milliseconds: 0), at: .start)
        residency[slot].pending = 1
        #expect(residency.nextIdle == .seconds(10))
        equals(residency.takeIdle(at: .seconds(10)).isEmpty, true)
        residency.effectEnded(EffectID(loop: shop, sequence: 0, index: 0))
        equals(residency.takeIdle(at: .seconds(20)), [shop])
        equals(residency.leave([shop], at: .seconds(20)), [shop])
        #expect(residency.mayBeIdle(shop))
    }

    @Test func `main never leaves`() {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.idleAfter = .seconds(10)
        var residency = Residency(configuration, VisitCount())
        residency.begin(.main, at: .start)
        #expect(residency.nextIdle == nil)
    }

    @Test func `what was under way when a loop ended is dismissed, until the next flush or for its earlier life`() {
        var residency = Residency(CoordinatorConfiguration(journal: .ours, epoch: 1), VisitCount())
        let shop = LoopID("shop")!
        residency.begin(shop, at: .start)
        if let slot = residency.slot(of: shop) { _ = residency[slot].takeSequence(.init(milliseconds: 0), at: .start) }
        equals(residency.dismisses(eventFor: shop, askedBy: 0), false)
        residency.end(shop, outstanding: 0, mayBeginAgain: true, WallTime(milliseconds: 0))
        equals(residency.dismisses(eventFor: shop, askedBy: nil), true)
        residency.settleEnds()
        equals(residency.dismisses(eventFor: shop, askedBy: nil), false)
        residency.begin(shop, at: .start)
        equals(
            residency.dismisses(eventFor: shop, askedBy: 0), true,
            "an effect of the earlier life reports to the later one")
        equals(residency.dismisses(eventFor: shop, askedBy: 1), false)
        #expect(residency.hasOutlived(EffectID(loop: shop, sequence: 0, index: 0)))
    }
}
