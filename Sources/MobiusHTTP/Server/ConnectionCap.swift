#if HTTP
    import NIOCore
    import Synchronization

    /// Bounds the number of connections, and what each may cost.
    ///
    /// For a connection too many, the one that has been idle longest is closed; if none is idle, the one whose client has not read for
    /// longest. So neither idle strangers nor those that read nothing keep anybody out. A connection is busy from the head of a
    /// request to the end of its response.
    final class ConnectionCap: Sendable {
        private struct Connection {
            let channel: any Channel
            var lastActive = NIODeadline.now()
            var isBusy = false
            /// The time since which bytes wait of which the client reads none.
            var stalled: NIODeadline?
        }

        /// The time that a busy connection may be stalled before it makes room for another one.
        private static let patience = TimeAmount.seconds(1)

        private let limits: HTTPLimits
        private let responses: ByteBudget
        private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

        init(_ limits: HTTPLimits, _ responses: ByteBudget) {
            (self.limits, self.responses) = (limits, responses)
        }

        /// A handler for a new connection.
        func handler() -> any RemovableChannelHandler { ConnectionHandler(self, limits, responses) }

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

        fileprivate func note(_ channel: any Channel, stalledSince time: NIODeadline?) {
            connections.withLock { $0[ObjectIdentifier(channel)]?.stalled = time }
        }

        fileprivate func add(_ channel: any Channel) {
            let surplus = connections.withLock { connections -> (any Channel)? in
                connections[ObjectIdentifier(channel)] = Connection(channel: channel)
                guard connections.count > limits.connections else { return nil }
                let surplus = Self.least(of: connections.values)?.channel ?? channel
                // Its close may take a while, and the next surplus one must be another.
                connections[ObjectIdentifier(surplus)] = nil
                return surplus
            }
            surplus?.close(promise: nil)
        }

        private static func least(of connections: some Collection<Connection>) -> Connection? {
            let idle = connections.filter { !$0.isBusy }
            let now = NIODeadline.now()
            // The new one is idle, too, but was active last.
            if idle.count > 1 { return idle.min { $0.lastActive < $1.lastActive } }
            return connections.lazy.compactMap { connection in connection.stalled.map { (connection, $0) } }
                .filter { now - $1 >= patience }
                .min { $0.1 < $1.1 }?.0
        }

        fileprivate func remove(_ channel: any Channel) {
            connections.withLock { $0[ObjectIdentifier(channel)] = nil }
        }
    }

    /// Tells a ``ConnectionCap`` when a connection begins and ends, and puts a ``ConnectionWatch`` before the socket.
    private final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let cap: ConnectionCap
        private let limits: HTTPLimits
        private let responses: ByteBudget

        init(_ cap: ConnectionCap, _ limits: HTTPLimits, _ responses: ByteBudget) {
            (self.cap, self.limits, self.responses) = (cap, limits, responses)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let channel = context.channel
            cap.add(channel)
            channel.closeFuture.whenComplete { [cap] _ in cap.remove(channel) }
            let watch = ConnectionWatch(TimeAmount(limits.write), responses) { [cap] in
                cap.note(channel, stalledSince: $0)
            }
            do {
                try context.pipeline.syncOperations.addHandler(watch, position: .first)
            } catch {
                channel.close(promise: nil)  // it has ended already
            }
        }
    }

    /// Counts the bytes that wait to be sent on one connection, whatever response they are of, and ends the connection when its client
    /// reads none of them for too long.
    final class ConnectionWatch: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        private let limit: TimeAmount
        private let budget: ByteBudget
        private let onStall: (NIODeadline?) -> Void
        private var waiting = 0
        /// The time at which the client last read something, or the first of the waiting bytes came.
        private var progress = NIODeadline.now()
        private var timer: Scheduled<Void>?

        init(_ limit: TimeAmount, _ budget: ByteBudget, onStall: @escaping (NIODeadline?) -> Void) {
            (self.limit, self.budget, self.onStall) = (limit, budget, onStall)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let bytes = unwrapOutboundIn(data).readableBytes
            guard bytes > 0 else { return context.write(data, promise: promise) }
            guard budget.reserve(bytes) else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return context.close(promise: nil)
            }
            if waiting == 0 {
                note(.now())
                watch(context.channel)
            }
            waiting += bytes
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in bound.value.wrote(bytes) }
            context.write(data, promise: written)
        }

        private func wrote(_ bytes: Int) {
            budget.release(bytes)
            waiting -= bytes
            if waiting > 0 { return note(.now()) }
            timer?.cancel()
            timer = nil
            onStall(nil)
        }

        private func note(_ time: NIODeadline) {
            progress = time
            onStall(time)
        }

        private func watch(_ channel: any Channel) {
            let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
            timer = channel.eventLoop.scheduleTask(deadline: progress + limit) {
                let watch = bound.value
                guard watch.waiting > 0 else { return }
                guard watch.progress + watch.limit > .now() else { return channel.close(promise: nil) }
                watch.watch(channel)
            }
        }
    }
#endif
