import MobiusDriver
import MobiusEngine
import MobiusTransport
import MobiusWire

// What the callers at the socket for clients may do.
extension ClientPort {
    /// The caller of a request: the holder of the connection's key, or of the token that a gateway passes on.
    struct Caller {
        /// The public key of the connection; `nil` where no keys are.
        let connection: String?
        /// The entry of the allow-list whose rights decide; `nil` where no keys are.
        let entry: String?
        /// The peer with whose requests its own are counted, if not the connection.
        let account: PeerID?

        init(of asked: NumberedRequest, _ message: borrowing Message, _ admission: Admission?) {
            connection = admission == nil ? nil : message.property("User-Id")
            guard admission != nil, !asked.token.isEmpty else {
                (entry, account) = (connection, nil)
                return
            }
            let hash = TokenHash(of: asked.token).text
            (entry, account) = (hash, PeerID(Array(hash.utf8)))
        }
    }

    /// Those who wait for a model, which may take long enough for their rights to end.
    struct Watchers {
        struct One {
            let id: RequestID
            let caller: Caller
            let loop: LoopID
            /// Whether the caller lacked the right to read what is masked.
            let isMasked: Bool
        }

        private var waiting: [RequestID: One] = [:]
        /// The version of the allow-list by which all of them may wait.
        private var version = 0

        mutating func add(_ id: RequestID, _ caller: Caller, _ request: ClientRequest, isMasked: Bool) {
            guard caller.entry != nil, case .watch(let loop, _) = request else { return }
            waiting[id] = One(id: id, caller: caller, loop: loop, isMasked: isMasked)
        }

        mutating func remove(_ id: RequestID) {
            if !waiting.isEmpty { waiting[id] = nil }
        }

        /// Those whose rights must be looked at, because the list has changed.
        mutating func changed(in admission: Admission) -> [One] {
            guard admission.version != version else { return [] }
            version = admission.version
            return Array(waiting.values)
        }
    }

    func refusal(of caller: Caller, for request: ClientRequest) -> ClientRefusal? {
        guard let admission = gate.admission else { return nil }
        // A stranger's token is told from one that lacks a right: its holder must get another.
        if caller.account != nil, let entry = caller.entry, admission.entry(entry)?.isToken != true {
            return ClientRefusal(
                .unknownToken, "This token is not, or no longer, in the coordinator's allow-list.")
        }
        return admission.refusal(ofClientWith: caller.entry, for: request).map { ClientRefusal(.forbidden, $0) }
    }

    /// Whether the caller has a right; without keys everybody has all.
    func may(_ right: Rights.Client, _ caller: Caller) -> Bool {
        gate.admission?.permits(right, caller.entry) ?? true
    }

    func rights(of caller: Caller) -> CallerRights {
        CallerRights(
            name: caller.entry.flatMap { gate.admission?.entry($0)?.name },
            rights: Rights.Client.allCases.filter { may($0, caller) }.map(\.rawValue),
            maximumPayload: limits.maximumPayload)
    }

    /// Refuses those who wait for a model and may not any more, after a change of the allow-list; those who may read more or less of it
    /// than before ask again.
    func refuseRevoked(_ unwatch: (LoopID, RequestID) throws -> Void) throws {
        guard let admission = gate.admission else { return }
        for one in watchers.changed(in: admission) {
            if let refusal = refusal(of: one.caller, for: .watch(one.loop, seen: nil)) {
                try answer(one.id, .refused(refusal))
            } else if one.isMasked == may(.unmasked, one.caller) {
                try answer(one.id, .unchanged)
            } else {
                continue
            }
            try unwatch(one.loop, one.id)
        }
    }
}
