import MobiusEngine
import MobiusTestKit

// The addresses of a host: those of one name, of which a coordinator listens at one.
extension ClusterHost {
    /// Finds out whether an owner's endpoint refuses connections.
    func probe(_ number: UInt64, _ endpoint: String) {
        let life = life
        world.plan(after: world.chance.microseconds(100...20_000)) { [self] world in
            guard let host = cluster.hosts.first(where: { endpoint.hasPrefix("\($0.number)/") }) else { return }
            let answers = host.answers(at: endpoint)
            cluster.note(answers)
            world.plan(after: answers.contains(.silent) ? cluster.plan.timing.lease / 2 : .zero) { [self] _ in
                run(life) { [self] in post(.probed(number, isRefused: AddressAnswer.isRefused(answers))) }
            }
        }
    }

    /// Returns the outcome of a connection to each address of an endpoint.
    func answers(at endpoint: String) -> [AddressAnswer] {
        let listens = terms.values.contains { $0.process?.isAlive == true && $0.endpoint == endpoint }
        return (0..<addresses).map { address in
            // Nothing answers for a host without power, or behind a broken network; its name may have addresses of others, too.
            if address != home, strangers.contains(address) { return .refused }
            guard hasPower, !isCutFromWorkers else { return .silent }
            return listens && address == home ? .accepted : .refused
        }
    }
}

extension Cluster {
    /// Counts the probes that several addresses answer.
    func note(_ answers: [AddressAnswer]) {
        guard answers.count > 1 else { return }
        counts.probes += 1
        if answers.contains(.refused), !AddressAnswer.isRefused(answers) { counts.mixedProbes += 1 }
    }
}
