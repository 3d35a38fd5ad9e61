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
    /// A turn ends without the end of the process when the lease is lost or handed over, or the database was lost. The
    /// loops are
    /// then dropped in memory, and read again by the process that gets the lease next, which may be this one.
    func runCluster(_ security: EdgeSecurity) throws {
        let (vitals, beats, doorbell) = (telemetry.vitals, ShardPulses(telemetry.vitals), WakeUp())
        var random = SystemRandomNumberGenerator()
        let holder = LeaseHolder(process: Incarnation.random(using: &random), name: Self.processName)
        let store = try settings.openLeases()
        let keeper = LeaseKeeper(
            holder, timing: settings.lease, logger: logger, onWait: { beats.beat($0) },
            onLoss: { [seats] in seats.seat($0).inlet.wakeUp.signal() },
            onRead: { [seats] shards in
                seats.know(shards)
                doorbell.signal()
            },
            // In the turn of now: a later one begins on the same thread.
            onShare: { [seats] in seats.seat($0).inlet.post(.share($1)) },
            onHandOver: { [seats] in seats.seat($0).end($1) },
            open: { [settings] () throws(JournalError) in try settings.openLeases() })
        let door = FrontDoor(wakeUp: doorbell, view: { keeper.view }, onFailure: { [self] in stop() })
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
            seats.know(shards)
            if shards.count > 1 { _ = try openRelay(at: endpoints.clients) }
        } catch {
            store.close()
            throw error
        }
        defer { relay.close() }
        keeper.start(store)
        defer {
            keeper.leave()
            keeper.waitForTurns()
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
        while let turn = keeper.nextTurn() {
            DetachedThread.run(named: "shard \(turn.shard)") { [self] in
                guard let error = end(of: turn, keeper, security, beats, endpoints.clients) else { return }
                failure.withLock { $0 = $0 ?? error }
                stop()
            }
        }
        keeper.waitForTurns()
        if let failure = failure.withLock({ $0 }) ?? door.failure { throw failure }
    }

    /// Returns a clause that names the processes that run the shards, as far as these are known.
    private static func owners(of shards: [ShardState]) -> String {
        let names = Set(shards.compactMap(\.lease?.holder.name).filter { !$0.isEmpty }).sorted()
        guard !names.isEmpty else { return "no coordinator runs the loops now" }
        let more = names.count > 3 ? ", …" : ""
        return "the loops are run by \(names.prefix(3).joined(separator: ", "))\(more)"
    }

    /// Runs the loops of a shard until its turn ends, and returns what must end this process.
    private func end(
        of turn: LeaseKeeper.Turn, _ keeper: LeaseKeeper, _ security: EdgeSecurity, _ beats: ShardPulses,
        _ clients: String?
    ) -> (any Error)? {
        let seat = seats.seat(turn.shard)
        let pulse = beats.begin(turn.shard)
        defer { beats.end(turn.shard, pulse) }
        do {
            let heirs = try run(turn, of: seat, keeper, security, beats, clients)
            keeper.ended(turn, isFailure: false, heirs: heirs)
        } catch is LeaseGate.Closed {
            keeper.ended(turn, isFailure: false)
        } catch let error as JournalError where error.isPassing {
            logger.error("the loops are dropped, and read again", metadata: ["error": "\(error)"])
            keeper.ended(turn, isFailure: error.code != .fenced)
        } catch let error where keeper.view.count > 1 && Self.concernsOneShard(error) {
            // Or each process in turn would take it, and end with all shards that it has.
            logger.error(
                "a shard cannot be run: its loops stand still, and it is tried again",
                metadata: ["shard": "\(turn.shard)", "error": "\(error)"])
            keeper.unfit(turn)
        } catch {
            keeper.ended(turn, isFailure: true)
            return error
        }
        return nil
    }

    /// Whether what a shard's records say is wrong, and not this process or the whole journal.
    private static func concernsOneShard(_ error: any Error) -> Bool {
        (error as? JournalError)?.code == .damaged
    }

    private func run(
        _ turn: LeaseKeeper.Turn, of seat: Seat<Program>, _ keeper: LeaseKeeper, _ security: EdgeSecurity,
        _ beats: ShardPulses, _ clients: String?
    ) throws -> [Incarnation]? {
        let part = try clusterPart(turn, keeper, at: clients)
        let store = try settings.openJournal(epoch: turn.epoch, shard: turn.shard)
        do {
            try seat.newest?.check(store, after: turn.previous)
        } catch {
            store.close()
            throw error
        }
        let mailbox = seat.inlet.open()
        defer {
            seat.pause()
            seats.report(to: telemetry.vitals)
        }
        // Asked to stop after the lease was taken.
        if telemetry.vitals.phase == .stopping || seat.isEnding(turn.epoch) { mailbox.post(.stop) }
        let chosen = try OwnerEndpoint.of(turn.shard, settings.ownerBind)
        let bind = chosen ?? OwnerEndpoint.beside(settings.bind, turn.shard)
        let clientBind = settings.clientBind.map { clients in
            chosen.flatMap { ClientEndpoint.beside($0) } ?? OwnerEndpoint.beside(clients, turn.shard)
        }
        let host = settings.advertisedHost ?? ProcessInfo.processInfo.hostName
        let pulse = beats.pulse(of: turn.shard)
        return try serve(
            store, of: seat, on: mailbox, security, bind: bind, clientBind: clientBind,
            beat: { pulse?.beat(at: $0.nanoseconds) }, permit: { try turn.gate.pass() }, heirs: turn.heirs,
            demand: { keeper.demand($0, in: turn) }, outranked: { keeper.outranked(turn, by: $0) }, cluster: part
        ) { [self] endpoint, clients in
            let workers = try OwnerEndpoint.advertised(endpoint, host: host)
            let clients = try clients.map { try OwnerEndpoint.advertised($0, host: host) } ?? ""
            keeper.serves(turn, workers: workers, clients: clients)
            var metadata: Logger.Metadata = [
                "epoch": "\(turn.epoch)", "endpoint": "\(workers)", "clients": "\(clients)",
            ]
            if part != nil { metadata["shard"] = "\(turn.shard)" }
            logger.info("runs the loops", metadata: metadata)
            seat.begin()
            seats.report(to: telemetry.vitals)
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
    private func clusterPart(_ turn: LeaseKeeper.Turn, _ keeper: LeaseKeeper, at clients: String?) throws
        -> ClusterPart?
    {
        let view = keeper.view
        guard view.count > 1 else { return nil }
        let client = try openRelay(at: clients)
        let slices = view.first { $0.shard == turn.shard }?.slices ?? SliceSet()
        let territory = Territory(slices) { ClusterMap(keeper.view) }
        return ClusterPart(
            shards: UInt32(clamping: view.count), territory: territory,
            courier: ClusterCourier(territory, client, gate: turn.gate, logger: logger))
    }

    private static var processName: String {
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
    }
}
