import MobiusCodec
import MobiusProcess

extension Topology {
    /// The same fleet with other numbers of workers.
    ///
    /// - Throws: `FleetExit` 64 when the pool does not exist, or `auto` is ordered and the file gives no range.
    package func scaled(by orders: [Supervisor.ScaleRequest]) throws -> Topology {
        var topology = self
        for order in orders {
            let names = pools.map(\.name)
            guard let index = names.firstIndex(of: order.pool) else {
                let meant = NearestName.of(order.pool, in: names).map { "Did you mean '\($0)'? " } ?? ""
                let known = names.isEmpty ? "It has none." : "Its pools: \(names.joined(separator: ", "))."
                throw FleetExit(.usage, "--scale: there is no pool '\(order.pool)' in the file. \(meant)\(known)")
            }
            if let replicas = order.replicas {
                topology.pools[index].replicas = replicas
            } else if case .fixed = pools[index].replicas {
                throw FleetExit(
                    .usage,
                    "--scale: the file gives \(order.pool) no range; give one, as in '\(order.pool)=auto(1...8)'.")
            }
        }
        return topology
    }
}
