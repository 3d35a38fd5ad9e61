/// Checks of endpoints that libzmq omits.
enum Endpoint {
    /// Whether the port of a TCP endpoint is valid: libzmq 4.3 silently takes 99999 as 34463.
    ///
    /// libzmq checks everything else. `*` and 0 let the system choose a port when binding.
    static func hasPossiblePort(_ endpoint: String, toBind: Bool) -> Bool {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return true }
        let port = endpoint[endpoint.index(after: colon)...]
        if port == "*" { return toBind }
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        return UInt16(port).map { $0 > 0 || toBind } ?? false
    }

    /// Whether an ipc path fits into a socket's address: for a longer one libzmq sometimes sets the errno of something else.
    static func hasPossiblePath(_ endpoint: String) -> Bool {
        !endpoint.hasPrefix("ipc://") || endpoint.utf8.count - "ipc://".utf8.count <= 107
    }
}
