import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Pages of loops.
@Suite struct LoopListTests {
    private func loop(_ number: Int) -> LoopID { LoopID("shop/\(10_000 + number)")! }

    private func machine(_ count: Int) -> CoordinatorMachine {
        var machine = CoordinatorMachine(
            CoordinatorConfiguration(journal: JournalID(high: 1, low: 2), epoch: 1, seed: 1))
        for number in 0..<count {
            _ = machine.handle(.begin(loop(number), effects: []), at: Moment(nanoseconds: 0))
        }
        return machine
    }

    @Test func `pages follow each other without gaps, also when loops begin meanwhile`() {
        var machine = machine(25)
        var (found, after, pages): ([LoopID], LoopID?, Int) = ([], nil, 0)
        repeat {
            let page = machine.page(prefix: "shop/", state: nil, after: after, limit: 10) { _ in nil }
            found += page.loops.map(\.loop)
            after = page.next
            pages += 1
            _ = machine.handle(.begin(LoopID("shop/0\(pages)")!, effects: []), at: Moment(nanoseconds: 0))
        } while after != nil
        #expect(pages == 3)
        #expect(found == (0..<25).map(loop))
    }

    @Test func `effects that end are counted once, and a loop without any is idle`() throws {
        var machine = machine(1)
        let kind = PayloadKind(type: "E")
        let planned = PlannedEffect(
            effect: Payload(kind: kind, bytes: []), plan: EffectPlan(destination: .local))
        let begun = LoopID("b")!
        _ = machine.handle(.begin(begun, effects: [planned, planned]), at: Moment(nanoseconds: 0))
        func summary() -> LoopSummary? {
            machine.page(prefix: "b", state: nil, after: nil, limit: 1) { _ in nil }.loops.first
        }
        #expect(summary()?.pending == 2 && summary()?.state == .running)
        var ticket: Ticket?
        for action in machine.handle(.flush, at: Moment(nanoseconds: 0)) {
            if case .append(let number, _) = action { ticket = number }
        }
        let actions = machine.handle(.committed(try #require(ticket)), at: Moment(nanoseconds: 0))
        for action in actions {
            guard case .runLocal(let attempt, _) = action else { continue }
            _ = machine.handle(.localReport(attempt, event: nil, final: true), at: Moment(nanoseconds: 0))
        }
        #expect(summary()?.pending == 2)  // their ends are not on disk
        for action in machine.handle(.flush, at: Moment(nanoseconds: 0)) {
            guard case .append(let number, _) = action else { continue }
            _ = machine.handle(.committed(number), at: Moment(nanoseconds: 0))
        }
        #expect(summary()?.pending == 0 && summary()?.state == .idle)
    }

    @Test func `held loops are listed as the host knows them`() {
        var machine = machine(3)
        _ = machine.handle(.hold(loop(1)), at: Moment(nanoseconds: 0))
        let status = LoopStatus(loop: loop(1), sequence: 7, pending: 2, isHeld: true)
        let page = machine.page(prefix: "", state: nil, after: nil, limit: 10) { $0 == status.loop ? status : nil }
        #expect(page.loops.map(\.state) == [.idle, .held, .idle])
        #expect(page.loops[1].sequence == 7 && page.loops[1].pending == 2)
        let held = machine.page(prefix: "", state: .held, after: nil, limit: 10) { _ in status }
        #expect(held.loops.map(\.loop) == [loop(1)] && held.next == nil)
        #expect(machine.lastSequence(of: loop(0)) == 0 && machine.lastSequence(of: loop(1)) == nil)
    }

    @Test func `a rare state among many loops takes several pages, of which each is short`() {
        var machine = machine(25_000)
        _ = machine.handle(.hold(LoopID("z")!), at: Moment(nanoseconds: 0))
        var (after, pages): (LoopID?, Int) = (nil, 0)
        var found: [LoopID] = []
        repeat {
            let page = machine.page(prefix: "", state: .held, after: after, limit: 10) { _ in nil }
            found += page.loops.map(\.loop)
            after = page.next
            pages += 1
        } while after != nil && pages < 100
        #expect(found == [LoopID("z")!])
        #expect(pages == 3)
    }
}
