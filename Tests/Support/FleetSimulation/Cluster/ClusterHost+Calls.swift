import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusTestKit

// Calls of the database: each takes time in both directions, and may be lost before or after it took effect.
extension ClusterHost {
    func call(_ step: LeaseStep) {
        let (table, time) = (cluster.table, cluster.plan.timing.lease)
        switch step {
        case .connect:
            call(step, onNew: true) { _ in
                table.connect()
            } then: { [self] session in
                self.session = session
                return .connected
            }
        case .read:
            call(step, writes: false) { [world] _ in
                table.shards(at: world.now)
            } then: {
                .read($0)
            }
        case .acquire(let seen, let holder, let floor):
            call(step) { [self] session in
                acquire(seen, holder, above: floor, on: session)
            } then: { [self] epoch in
                if epoch != nil { cluster.counts.unknownTakes -= 1 }
                return .acquired(epoch)
            }
        case .renew(let leases):
            call(step) { [self] session in
                leases.map { lease -> LeaseOutcome in
                    // Another transaction has the row.
                    if world.isFaulty, world.chance.happens(50) {
                        disturbed()
                        return .delayed
                    }
                    cluster.checkRenewal(of: lease.shard)
                    let isKept = table.renew(
                        lease.shard, epoch: lease.epoch, as: lease.holder, for: time, on: session, at: world.now)
                    return isKept ? .kept : .lost
                }
            } then: {
                .renewed($0)
            }
        case .release(let shard, let epoch, let possibleHolders):
            call(step) { [self] _ in
                if table.release(shard, epoch: epoch, possibleHolders: possibleHolders) { cluster.released(shard) }
            } then: {
                .released
            }
        case .attend(let holder, let isReady):
            call(step) { [world] _ in
                table.attend(as: holder, isReady: isReady, for: time, at: world.now)
            } then: {
                .attended($0)
            }
        case .resign(let process):
            call(step) { _ in
                table.resign(process)
            } then: {
                .resigned
            }
        // No shard says what it could use of a limit.
        case .readShares, .claimShares: break
        case .wait, .leave: break  // no calls
        }
    }

    private func acquire(
        _ seen: ShardState, _ holder: LeaseHolder, above floor: UInt64, on session: UInt64
    ) -> UInt64? {
        let (table, world) = (cluster.table, world)
        let isEarly =
            seen.lease.map { $0.holder.process != holder.process } ?? false
            && table.isValid(seen.epoch, of: seen.shard, at: world.now)
        guard !cluster.isHeld(seen.shard) else {
            cluster.counts.held += 1
            return nil
        }
        do {
            let epoch = try table.acquire(
                seen, as: holder, for: cluster.plan.timing.lease, above: floor, on: session, at: world.now
            ) { floor in
                cluster.willTake(seen.shard)
                cluster.checkLost(seen, by: self)
                cluster.willBegin()
                return try world.disks[Int(seen.shard)].open(above: floor)
            }
            guard let epoch else { return nil }
            if floor > 0 { cluster.counts.raised += 1 }
            let early = isEarly ? ", before the end of the last one" : ""
            world.log(name, "takes the lease of shard \(seen.shard) under epoch \(epoch)\(early)")
            if isEarly { cluster.counts.earlyTakes += 1 }
            // Until the answer has arrived.
            cluster.counts.unknownTakes += 1
            return epoch
        } catch {
            world.violated(.nothingLost, "a coordinator cannot open the journal: \(error)")
            return nil
        }
    }

    /// Makes a call: `database` is performed there, `then` makes an answer of its result when it has arrived.
    ///
    /// - Parameters:
    ///   - onNew: Whether the call opens a connection, and so needs none.
    ///   - writes: Whether it commits something.
    private func call<Result>(
        _ step: LeaseStep, onNew: Bool = false, writes: Bool = true,
        _ database: @escaping (_ session: UInt64) -> Result,
        then: @escaping (Result) -> LeaseDriver<LeaseTerm<Program>>.Answer
    ) {
        calling = step
        let (call, asked, life, session) = (lastCall, moment, life, session ?? 0)
        let (out, back) = (cluster.way(), cluster.way())
        let lease = Int(cluster.plan.timing.lease.microseconds)
        // The process may be stopped before the call leaves it.
        later(world.chance.microseconds(0...100)) { [self] in
            world.plan(after: out.time + (writes && !onNew ? cluster.plan.commit ?? .zero : .zero)) { [self] world in
                guard !out.isLost, reachesDatabase, onNew || cluster.table.isOpen(session) else { return }
                let result = database(session)
                guard !back.isLost else { return }
                world.plan(after: back.time) { [self] _ in
                    guard reachesDatabase else { return }
                    run(life) { [self] in
                        guard call == lastCall, calling != nil else { return }
                        calling = nil
                        answered(step, then(result), asked: asked)
                        pump()
                    }
                }
            }
        }
        later(world.chance.microseconds(lease / 4...lease)) { [self] in if call == lastCall, calling != nil { failed() }
        }
    }

    /// The connection is lost, or an answer did not come in time.
    func failed() {
        let step = calling
        calling = nil
        disturbed()
        lastCall += 1
        world.trace(name, "gives up its connection to the database")
        let patience = reachesDatabase ? 2000 : Int(cluster.plan.timing.lease.microseconds) * 2
        closeSession(after: world.chance.microseconds(0...patience))
        callFailed(step)
        pump()
    }

    /// Ends the connection of the leases; the database finds out after a while.
    func closeSession(after pause: Duration) {
        guard let session else { return }
        self.session = nil
        world.plan(after: pause) { [self] _ in cluster.table.close(session) }
    }
}
