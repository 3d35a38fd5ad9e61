#if HTTP
    import NIOCore
    import Synchronization

    /// Bounds the number of connections: for a new one, the one that has been idle longest is closed.
    ///
    /// So idle strangers keep nobody out. A connection is busy from the head of a request to the end of its response.
    final class ConnectionCap: Sendable {
        private struct Connection {
            let channel: any Channel
            var lastActive = NIODeadline.now()
            var isBusy = false
        }

        private let limit: Int
        private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

        init(_ limit: Int) {
            self.limit = limit
        }

        /// A handler for a new connection.
        func handler() -> any RemovableChannelHandler { ConnectionHandler(self) }

        /// A request has begun.
        func began(on channel: any Channel) { set(channel, isBusy: true) }

        /// The response was written.
        func ended(on channel: any Channel) { set(channel, isBusy: false) }

        private func set(_ channel: any Channel, isBusy: Bool) {
            connections.withLock { connections in
                connections[ObjectIdentifier(channel)]?.isBusy = isBusy
                connections[ObjectIdentifier(channel)]?.lastActive = .now()
            }
        }

        fileprivate func add(_ channel: any Channel) {
            let surplus = connections.withLock { connections -> (any Channel)? in
                connections[ObjectIdentifier(channel)] = Connection(channel: channel)
                guard connections.count > limit else { return nil }
                let idle = connections.values.filter { !$0.isBusy }
                let surplus = idle.min { $0.lastActive < $1.lastActive }?.channel ?? channel
                // Its close may take a while, and the next surplus one must be another.
                connections[ObjectIdentifier(surplus)] = nil
                return surplus
            }
            surplus?.close(promise: nil)
        }

        fileprivate func remove(_ channel: any Channel) {
            connections.withLock { $0[ObjectIdentifier(channel)] = nil }
        }
    }

    /// Tells a ``ConnectionCap`` when a connection begins and ends.
    private final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let cap: ConnectionCap

        init(_ cap: ConnectionCap) {
            self.cap = cap
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let channel = context.channel
            cap.add(channel)
            channel.closeFuture.whenComplete { [cap] _ in cap.remove(channel) }
        }
    }
#endif
