/// The rights of a key; a right that is not named is denied.
package struct Rights: Hashable, Sendable {
    /// A client's rights.
    package enum Client: String, CaseIterable, Hashable, Sendable {
        /// Send events to loops.
        case send
        /// Read status, names of loops, effects, dead letters and quarantine, with payloads.
        case read
        /// Read and watch models, and read histories.
        case models
        /// Read payloads as they are, where the program masks them for others.
        case unmasked
        /// Repair failures: retry and drop dead letters, release loops.
        case admin
        /// Pass on requests of others, each with its token, whose rights decide.
        case serve
    }

    /// The pools that a worker may serve.
    package enum Pools: Hashable, Sendable {
        /// All of them, written `*`.
        case all
        /// These; an empty set for a key without the right to work.
        case these(Set<String>)

        /// Whether a worker may serve the pool.
        package func contains(_ pool: String) -> Bool {
            switch self {
            case .all: true
            case .these(let pools): pools.contains(pool)
            }
        }
    }

    /// The pools that it may work for.
    package var pools: Pools
    /// The rights as a client.
    package var client: Set<Client>

    package init(pools: Pools = .these([]), client: Set<Client> = []) {
        self.pools = pools
        self.client = client
    }

    /// Whether it may connect as a worker at all.
    package var isWorker: Bool { pools != .these([]) }

    /// Whether it may connect as a client at all.
    package var isClient: Bool { !client.isEmpty }

    /// As in the allow-list: `worker=a,b client=send,read`.
    package var text: String {
        var words: [String] = []
        switch pools {
        case .all: words.append("worker=*")
        case .these(let pools): if isWorker { words.append("worker=" + pools.sorted().joined(separator: ",")) }
        }
        if isClient {
            words.append("client=" + Client.allCases.filter(client.contains).map(\.rawValue).joined(separator: ","))
        }
        return words.joined(separator: " ")
    }

    /// Returns the fault of a pool's name, in an allow-list; `nil` if there is none.
    package static func problem(withPool pool: some StringProtocol) -> String? {
        guard (1...255).contains(pool.utf8.count) else { return "a pool's name has 1 to 255 bytes" }
        guard !pool.contains(where: { $0.isWhitespace || $0 == "," || $0 == "*" || $0 == "\0" }) else {
            return
                "the pool '\(pool)' cannot be named in an allow-list, for spaces, commas and stars mean something there"
        }
        return nil
    }

    /// Reads words such as `worker=a,b`; the sentence of a failure says what is wrong.
    package init(words: some Sequence<Substring>) throws(Problem) {
        self.init()
        var seen: Set<Substring> = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = parts.first, ["worker", "client"].contains(kind) else {
                throw Problem(
                    "'\(word)' is no right: write worker=POOL,POOL or client=send,read,models,unmasked,admin,serve")
            }
            guard seen.insert(kind).inserted else { throw Problem("\(kind)= is there twice") }
            let values = parts[1].split(separator: ",", omittingEmptySubsequences: false)
            if kind == "worker" { try addPools(values) } else { try addClient(values) }
        }
        guard isWorker || isClient else {
            throw Problem(
                "it has no rights: write worker=POOL,POOL or client=send,read,models,unmasked,admin,serve, or take the line out"
            )
        }
    }

    private mutating func addPools(_ values: [Substring]) throws(Problem) {
        if values == ["*"] {
            pools = .all
            return
        }
        for value in values {
            if let problem = Self.problem(withPool: value) { throw Problem(problem) }
        }
        pools = .these(Set(values.map(String.init)))
    }

    private mutating func addClient(_ values: [Substring]) throws(Problem) {
        for value in values {
            guard let right = Client(rawValue: String(value)) else {
                throw Problem("'\(value)' is no right of a client: write send, read, models, unmasked, admin or serve")
            }
            client.insert(right)
        }
    }

    /// The fault of words that should be rights.
    package struct Problem: Error {
        /// In a sentence without its full stop.
        package let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }
}
