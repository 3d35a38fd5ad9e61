import Foundation
import Logging
import MobiusClient
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProcess
import MobiusTransport
import MobiusWire
import Synchronization

// Several coordinators of one journal in a database, which share its shards: one runs the loops of a shard, the others
// stand by for it.
extension Coordinator {
    /// Joins the cluster, and runs the loops of each shard whose lease this process has, until it is asked to stop.
    ///
    /// A term ends without the end of the process when the lease is lost or handed over, or the database was lost. The
    /// loops are
    /// then dropped in memory, and read again by the process that gets the lease next, which may be this one.
    func runCluster(_ security: EdgeSecurity) throws {
        let (vitals, beats, doorbell) = (telemetry.vitals, ShardPulses(telemetry.vitals), WakeUp())
        var random = SystemRandomNumberGenerator()
        let holder = LeaseHolder(process: Incarnation.random(using: &random), name: Self.processName)
        let store = try settings.openLeases()
        let keeper = LeaseKeeper(
            holder, timing: settings.lease, logger: logger, onWait: { beats.beat($0) },
            onLoss: { [contexts] in contexts.context($0).currentMailbox.wakeUp.signal() },
            onRead: { [contexts] shards in
                contexts.know(shards)
                doorbell.signal()
            },
            // In the current term: a later one begins on the same thread.
            onShare: { [contexts] in contexts.context($0).currentMailbox.post(.share($1)) },
            onHandOver: { [contexts] in contexts.context($0).end($1) },
            open: { [settings] () throws(JournalError) in try settings.openLeases() })
        let door = RedirectServer(wakeUp: doorbell, view: { keeper.view }, onFailure: { [self] in stop() })
        let endpoints: (workers: String, clients: String?)
        do {
            endpoints = try door.open(settings, security: security, logger: logger)
        } catch {
            store.close()
            throw error
        }
        defer { door.close() }
        do {
            let shards = try store.shards()
            contexts.know(shards)
            if shards.count > 1 { _ = try openRelay(at: endpoints.clients) }
        } catch {
            store.close()
            throw error
        }
        defer { relay.close() }
        keeper.start(store)
        defer {
            keeper.leave()
            keeper.waitForTerms()
            keeper.waitUntilLeft(for: .seconds(3))
        }
        self.keeper.join(keeper)
        if vitals.phase == .stopping { keeper.leave() }
        logger.info(
            "listening", metadata: ["endpoint": "\(endpoints.workers)", "clients": "\(endpoints.clients ?? "none")"])
        let announcement = endpoints.clients.flatMap { announce($0) }
        defer { withExtendedLifetime(announcement) {} }
        vitals.standsBy(true)
        vitals.findsOwner { Self.owners(of: keeper.view) }
        defer { vitals.findsOwner(by: nil) }
        vitals.serves(true)
        onListening(endpoints.workers)
        let failure = Mutex<(any Error)?>(nil)
        while let term = keeper.nextTerm() {
            DetachedThread.run(named: "shard \(term.shard)") { [self] in
                guard let error = end(of: term, keeper, security, beats, endpoints.clients) else { return }
                failure.withLock { $0 = $0 ?? error }
                stop()
            }
        }
        keeper.waitForTerms()
        if let failure = failure.withLock({ $0 }) ?? door.failure { throw failure }
    }

    /// Returns a clause that names the processes that run the shards, as far as these are known.
    private static func owners(of shards: [ShardState]) -> String {
        let names = Set(shards.compactMap(\.lease?.holder.name).filter { !$0.isEmpty }).sorted()
        guard !names.isEmpty else { return "no coordinator runs the loops now" }
        let more = names.count > 3 ? ", …" : ""
        return "the loops are run by \(names.prefix(3).joined(separator: ", "))\(more)"
    }

    /// Runs the loops of a shard until its term ends, and returns what must end this process.
    private func end(
        of term: LeaseKeeper.Term, _ keeper: LeaseKeeper, _ security: EdgeSecurity, _ beats: ShardPulses,
        _ clients: String?
    ) -> (any Error)? {
        let context = contexts.context(term.shard)
        let pulse = beats.begin(term.shard)
        defer { beats.end(term.shard, pulse) }
        do {
            let possibleHolders = try run(term, of: context, keeper, security, beats, clients)
            keeper.ended(term, isFailure: false, possibleHolders: possibleHolders)
        } catch is LeaseGate.Closed {
            keeper.ended(term, isFailure: false)
        } catch let error as JournalError where error.isPassing {
            logger.error("the loops are dropped, and read again", metadata: ["error": "\(error)"])
            keeper.ended(term, isFailure: error.code != .fenced)
        } catch let error where keeper.view.count > 1 && Self.concernsOneShard(error) {
            // Or each process in turn would take it, and end with all shards that it has.
            logger.error(
                "a shard cannot be run: its loops stand still, and it is tried again",
                metadata: ["shard": "\(term.shard)", "error": "\(error)"])
            keeper.unfit(term)
        } catch {
            keeper.ended(term, isFailure: true)
            return error
        }
        return nil
    }

    /// Whether what a shard's records say is wrong, and not this process or the whole journal.
    private static func concernsOneShard(_ error: any Error) -> Bool {
        (error as? JournalError)?.code == .damaged
    }

    private func run(
        _ term: LeaseKeeper.Term, of context: ShardContext<Program>, _ keeper: LeaseKeeper, _ security: EdgeSecurity,
        _ beats: ShardPulses, _ clients: String?
    ) throws -> [Incarnation]? {
        let part = try clusterPart(term, keeper, at: clients)
        let store = try settings.openJournal(epoch: term.epoch, shard: term.shard)
        do {
            try context.newest?.check(store, after: term.previous)
        } catch {
            store.close()
            throw error
        }
        let mailbox = context.currentMailbox.open()
        defer {
            context.pause()
            contexts.report(to: telemetry.vitals)
        }
        // Asked to stop after the lease was taken.
        if telemetry.vitals.phase == .stopping || context.isEnding(term.epoch) { mailbox.post(.stop) }
        let chosen = try OwnerEndpoint.of(term.shard, settings.ownerBind)
        let bind = chosen ?? OwnerEndpoint.beside(settings.bind, term.shard)
        let clientBind = settings.clientBind.map { clients in
            chosen.flatMap { ClientEndpoint.beside($0) } ?? OwnerEndpoint.beside(clients, term.shard)
        }
        let host = settings.advertisedHost ?? ProcessInfo.processInfo.hostName
        let pulse = beats.pulse(of: term.shard)
        return try serve(
            store, of: context, on: mailbox, security, bind: bind, clientBind: clientBind,
            beat: { pulse?.beat(at: $0.nanoseconds) }, permit: { try term.gate.pass() },
            possibleHolders: term.possibleHolders,
            demand: { keeper.demand($0, in: term) }, outranked: { keeper.outranked(term, by: $0) }, cluster: part
        ) { [self] endpoint, clients in
            let workers = try OwnerEndpoint.advertised(endpoint, host: host)
            let clients = try clients.map { try OwnerEndpoint.advertised($0, host: host) } ?? ""
            keeper.serves(term, workers: workers, clients: clients)
            var metadata: Logger.Metadata = [
                "epoch": "\(term.epoch)", "endpoint": "\(workers)", "clients": "\(clients)",
            ]
            if part != nil { metadata["shard"] = "\(term.shard)" }
            logger.info("runs the loops", metadata: metadata)
            context.begin()
            contexts.report(to: telemetry.vitals)
            return nil
        }
    }

    /// The client through which the shards reach each other, which is made when there is more than one shard.
    ///
    /// - Parameter endpoint: The endpoint at which clients reach this process.
    private func openRelay(at endpoint: String?) throws -> FleetClient {
        guard let endpoint else {
            throw CoordinatorError(
                .endpoint,
                "The shards of a journal reach each other where clients do: give this coordinator an endpoint with "
                    + "--client-bind.")
        }
        let key = try settings.keys.map { path in
            let pair = try KeyDirectory(path).pair()
            return PeerKey(name: "coordinator", pair: pair, coordinator: pair.publicKey)
        }
        return relay.open {
            FleetClient(
                connect: OwnerEndpoint.local(endpoint), key: key,
                maximumPayload: Int(PayloadLimit.range.upperBound), logger: logger)
        }
    }

    /// Returns a shard's view of the others; `nil` when there are none.
    private func clusterPart(_ term: LeaseKeeper.Term, _ keeper: LeaseKeeper, at clients: String?) throws
        -> ClusterPart?
    {
        let view = keeper.view
        guard view.count > 1 else { return nil }
        let client = try openRelay(at: clients)
        let slices = view.first { $0.shard == term.shard }?.slices ?? SliceSet()
        let shardSlices = ShardSlices(slices) { ClusterMap(keeper.view) }
        return ClusterPart(
            shards: UInt32(clamping: view.count), shardSlices: shardSlices,
            crossShardSender: ClusterSender(shardSlices, client, gate: term.gate, logger: logger))
    }

    private static var processName: String {
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
    }
}
