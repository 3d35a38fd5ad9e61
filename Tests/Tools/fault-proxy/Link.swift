#if HTTP
    import NIOCore

    /// One worker's connection and the one that leads on from it.
    ///
    /// It belongs to the wire's event loop.
    final class Link {
        let worker: any Channel
        private var coordinator: (any Channel)?
        /// What waits, in each direction: held back, or for the coordinator's connection.
        private var held: [Direction: [ByteBuffer]] = [:]
        private var isClosed = false

        init(worker: any Channel) {
            self.worker = worker
        }

        func lead(to coordinator: any Channel) {
            guard !isClosed else {
                coordinator.close(promise: nil)
                return
            }
            self.coordinator = coordinator
            release()
        }

        func hold(_ bytes: ByteBuffer, _ direction: Direction) {
            held[direction, default: []].append(bytes)
        }

        /// Sends what waits.
        func release() {
            for direction in Direction.allCases where channel(direction) != nil {
                for bytes in held.removeValue(forKey: direction) ?? [] { send(bytes, direction) }
            }
        }

        func send(_ bytes: ByteBuffer, _ direction: Direction) {
            guard !isClosed else { return }
            guard let channel = channel(direction), held[direction] == nil else { return hold(bytes, direction) }
            channel.writeAndFlush(bytes, promise: nil)
        }

        /// Sends what was given to it, and ends both connections.
        func close() {
            guard !isClosed else { return }
            isClosed = true
            worker.close(promise: nil)
            coordinator?.close(promise: nil)
        }

        private func channel(_ direction: Direction) -> (any Channel)? {
            direction == .up ? coordinator : worker
        }
    }

    /// Hands the bytes of one direction of a link to the wire.
    final class Tap: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let direction: Direction
        private let link: Link
        private let wire: Wire

        init(_ direction: Direction, of link: Link, wire: Wire) {
            self.direction = direction
            self.link = link
            self.wire = wire
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            wire.pass(unwrapInboundIn(data), direction, of: link)
        }

        func channelInactive(context: ChannelHandlerContext) {
            link.close()
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            link.close()
        }
    }
#endif
