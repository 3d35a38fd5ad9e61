import Foundation
import Logging
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusTelemetry
import MobiusTransport
import MobiusWire
import ZeroMQ

// Several coordinators of one journal in a database: one runs the loops, the others stand by.
extension Coordinator {
    /// Joins the cluster, and runs the loops whenever this process has their lease, until it is asked to stop.
    ///
    /// What ends a turn without ending the process: the lease is lost, or the database was. The loops are then dropped in
    /// memory, and read again by the process that gets the lease next, which may be this one.
    func runCluster(_ security: EdgeSecurity) throws {
        let vitals = telemetry.vitals
        var random = SystemRandomNumberGenerator()
        let holder = LeaseHolder(process: Incarnation.random(using: &random), name: Self.processName)
        let store = try settings.openLeases()
        let keeper = LeaseKeeper(
            holder, timing: settings.lease, logger: logger, onWait: { vitals.beat(at: Vitals.now) },
            onLoss: { [inlet] in inlet.wakeUp.signal() },
            open: { [settings] () throws(JournalError) in try settings.openLeases() })
        let door = FrontDoor(view: { keeper.view }, onFailure: { [self] in stop() })
        let endpoints: (workers: String, clients: String?)
        do {
            endpoints = try door.open(settings, security: security, logger: logger)
        } catch {
            store.close()
            throw error
        }
        defer {
            keeper.leave()
            keeper.waitUntilLeft(for: .seconds(3))
            door.close()
        }
        keeper.start(store)
        self.keeper.join(keeper)
        if vitals.phase == .stopping { keeper.leave() }
        logger.info(
            "listening", metadata: ["endpoint": "\(endpoints.workers)", "clients": "\(endpoints.clients ?? "none")"])
        let announcement = endpoints.clients.flatMap { announce($0) }
        defer { withExtendedLifetime(announcement) {} }
        vitals.standsBy(true)
        vitals.serves(true)
        views?.serve(false)
        onListening(endpoints.workers)
        while let turn = keeper.nextTurn() {
            do {
                try run(turn, keeper, security)
                keeper.ended(turn, isFailure: false)
            } catch is LeaseGate.Closed {
                keeper.ended(turn, isFailure: false)
            } catch let error as JournalError where error.isPassing {
                logger.error("the loops are dropped, and read again", metadata: ["error": "\(error)"])
                keeper.ended(turn, isFailure: error.code != .fenced)
            } catch {
                keeper.ended(turn, isFailure: true)
                throw error
            }
        }
        if let failure = door.failure { throw failure }
    }

    private func run(_ turn: LeaseKeeper.Turn, _ keeper: LeaseKeeper, _ security: EdgeSecurity) throws {
        let store = try settings.openJournal(epoch: turn.epoch)
        do {
            try newest?.check(store, after: turn.previous)
        } catch {
            store.close()
            throw error
        }
        let mailbox = inlet.open()
        defer {
            inlet.close()
            turns.end()
            requests.fail(.standsBy)
            gateway?.pause()
            views?.serve(false)
            telemetry.vitals.standsBy(true)
        }
        // Asked to stop after the lease was taken.
        if telemetry.vitals.phase == .stopping { mailbox.post(.stop) }
        let bind = settings.ownerBind ?? OwnerEndpoint.beside(settings.bind)
        let clientBind = settings.clientBind.flatMap { clients in
            settings.ownerBind.flatMap { ClientEndpoint.beside($0) } ?? OwnerEndpoint.beside(clients)
        }
        let host = settings.advertisedHost ?? ProcessInfo.processInfo.hostName
        try serve(
            store, on: mailbox, security, bind: bind, clientBind: clientBind, permit: { try turn.gate.pass() }
        ) { [self] endpoint, clients in
            let workers = try OwnerEndpoint.advertised(endpoint, host: host)
            let clients = try clients.map { try OwnerEndpoint.advertised($0, host: host) } ?? ""
            keeper.serves(turn, workers: workers, clients: clients)
            logger.info(
                "runs the loops",
                metadata: ["epoch": "\(turn.epoch)", "endpoint": "\(workers)", "clients": "\(clients)"])
            telemetry.vitals.standsBy(false)
            views?.serve(true)
            turns.begin()
            return nil
        }
    }

    private static var processName: String {
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
    }
}

extension JournalError {
    /// Whether a later opening, by this process or another, may work.
    fileprivate var isPassing: Bool {
        switch code {
        case .outcomeUnknown, .notReadable, .notWritable, .fenced, .held: true
        default: false
        }
    }
}
