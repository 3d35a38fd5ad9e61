import MobiusProcess

extension Topology {
    /// The name of the process that serves loops over HTTP, which is supervised as a worker is.
    private static let server = "http"

    /// The fleet with `mobius-serve` beside it, which listens at this address.
    ///
    /// - Throws: `FleetExit` 64 when there can be none.
    func served(at address: String?) throws(FleetExit) -> Topology {
        guard let address else { return self }
        guard clients != .nowhere else {
            throw FleetExit(
                .usage,
                "--http needs the coordinator's endpoint for clients: take 'client-endpoint: none' out of the file.")
        }
        guard !pools.contains(where: { $0.name == Self.server }) else {
            throw FleetExit(
                .usage, "--http starts a process named \(Self.server), but a pool of the file has that name.")
        }
        var pool = Pool(name: Self.server, command: ["mobius-serve"])
        pool.process.environment = ["MOBIUS_LISTEN": address]
        // It has no session with the coordinator.
        pool.readyAfter = .seconds(1)
        var served = self
        served.pools.append(pool)
        return served
    }
}
