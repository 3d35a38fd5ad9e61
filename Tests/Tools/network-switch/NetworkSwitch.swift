import ArgumentParser

/// Connects hosts, which are network namespaces, and treats their packets as the lines of its input say.
///
/// Each host is `DEVICE=ADDRESS`: the switch makes a network device of that name, which whoever started it moves into the
/// host's namespace and gives the address. It prints `ready`, then `done LINE` for each line that it has obeyed:
///
/// - `delay DEVICE MILLISECONDS`: what leaves this host and what comes to it takes so much longer each.
/// - `loss DEVICE PERCENT`: so many of its packets, each way, are lost.
/// - `cut DEVICE`, `mend DEVICE`: all of them are, or none; nobody is told, as when a cable is out further on.
/// - `count`: answers `count passed=PACKETS lost=PACKETS`.
///
/// It is what `tc netem` does, for kernels without it; it needs the right to make network devices.
@main struct NetworkSwitch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network-switch", abstract: "A network between namespaces that delays, loses and cuts.")

    @Option(help: "Which packets are lost.")
    var seed: UInt64 = 1

    @Argument(help: "The hosts, each as DEVICE=ADDRESS.")
    var hosts: [String]

    func run() throws {
        var board = Switchboard(seed: seed)
        var devices: [TunnelDevice] = []
        for host in hosts {
            let parts = host.split(separator: "=")
            guard parts.count == 2, let address = Switchboard.Address(parts[1]) else {
                throw ValidationError("A host is DEVICE=ADDRESS, not \(host).")
            }
            devices.append(try TunnelDevice(named: String(parts[0])))
            board.add(String(parts[0]), address)
        }
        var loop = SwitchLoop(board: board, devices: devices)
        loop.run()
    }
}
