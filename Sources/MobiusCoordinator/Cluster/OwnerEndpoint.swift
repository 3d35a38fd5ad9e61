import Foundation
package import MobiusDriver
import MobiusWire

/// The endpoint at which a coordinator of a cluster listens while it runs the loops, and the one that others are told.
package enum OwnerEndpoint {
    /// The endpoint to listen at for a shard, beside that where the coordinator is known: the same address, another port or
    /// path.
    package static func beside(_ bind: String, _ shard: UInt32 = 0) -> String {
        if bind.hasPrefix("ipc://") {
            return bind == "ipc://*" ? bind : bind + "-owner" + (shard > 0 ? "-\(shard)" : "")
        }
        guard bind.hasPrefix("tcp://"), let colon = bind.lastIndex(of: ":") else { return bind }
        return bind[..<colon] + ":*"
    }

    /// The endpoint of a shard for workers, by that which an operator chose for the first one; clients are served at the next
    /// port.
    ///
    /// - Throws: ``CoordinatorError`` when there are not as many ports.
    package static func of(_ shard: UInt32, _ bind: String?) throws(CoordinatorError) -> String? {
        guard let bind, shard > 0 else { return bind }
        if bind.hasPrefix("ipc://") { return bind == "ipc://*" ? bind : bind + "-\(shard)" }
        guard let colon = bind.lastIndex(of: ":"), let port = UInt16(bind[bind.index(after: colon)...]), port > 0 else {
            return bind
        }
        let own = Int(port) + 2 * Int(shard)
        guard own < UInt16.max else {
            throw CoordinatorError(
                .endpoint, "There are no ports for shard \(shard) after \(bind): set --owner-bind to a lower port.")
        }
        return bind[...colon] + "\(own)"
    }

    /// The endpoint as this process reaches it.
    package static func local(_ endpoint: String) -> String { absolute(endpoint, host: "127.0.0.1") }

    /// The endpoint as others reach it: with the host's name in the place of an address that stands for all, and with a path
    /// that does not depend on the working directory.
    ///
    /// - Throws: ``CoordinatorError`` for one that nobody could connect to, so that it would never be told.
    package static func advertised(_ endpoint: String, host: String) throws(CoordinatorError) -> String {
        let advertised = absolute(endpoint, host: host)
        guard Moved.isPossible(endpoint: advertised) else {
            throw CoordinatorError(
                .endpoint,
                "Nobody could connect to \(advertised), where this coordinator would run the loops: set --advertise to this "
                    + "host's name or address, or --owner-bind to tcp://HOST:PORT or ipc:///PATH (107 bytes at most).")
        }
        return advertised
    }

    private static func absolute(_ endpoint: String, host: String) -> String {
        if endpoint.hasPrefix("ipc://") {
            let path = String(endpoint.dropFirst(6))
            guard !path.hasPrefix("/"), !path.hasPrefix("@") else { return endpoint }
            return "ipc://" + URL(fileURLWithPath: path).path
        }
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return endpoint }
        let start = endpoint.index(endpoint.startIndex, offsetBy: 6)
        guard start <= colon, ["0.0.0.0", "*", "[::]", "::"].contains(endpoint[start..<colon]) else { return endpoint }
        return "tcp://\(host)\(endpoint[colon...])"
    }
}
