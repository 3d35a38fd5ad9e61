#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Carries packets between the devices as a ``Switchboard`` decides, until its input ends.
struct SwitchLoop {
    var board: Switchboard
    let devices: [TunnelDevice]
    private var typed: [UInt8] = []

    init(board: Switchboard, devices: [TunnelDevice]) {
        self.board = board
        self.devices = devices
    }

    mutating func run() {
        say("ready")
        var polled = ([0] + devices.map(\.descriptor)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            poll(&polled, nfds_t(polled.count), milliseconds)
            for (host, device) in devices.enumerated() where polled[host + 1].revents != 0 {
                while let packet = device.read() { board.receive(packet, from: host, at: .now) }
            }
            for delivery in board.due(at: .now) { devices[delivery.host].write(delivery.packet) }
            if polled[0].revents != 0, !listen() { return }
        }
    }

    /// Until the next packet falls due.
    private var milliseconds: Int32 {
        guard let due = board.nextDue else { return -1 }
        let left = due - .now
        return left <= .zero ? 0 : Int32(clamping: Int64(left / .milliseconds(1)) + 1)
    }

    /// Obeys what was typed; `false` at the end of the input.
    private mutating func listen() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(0, &bytes, bytes.count)
        guard count > 0 else { return false }
        typed += bytes[..<count]
        while let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: typed[..<end], as: UTF8.self)
            typed.removeFirst(end + 1)
            say(board.obey(line) ?? "unknown \(line)")
        }
        return true
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
