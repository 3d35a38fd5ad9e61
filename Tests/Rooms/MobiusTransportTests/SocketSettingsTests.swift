import MobiusTransport
import Testing

@Suite struct SocketSettingsTests {
    /// A ping can end a coordinator: see `PingTests`.
    @Test func nobodyPings() throws {
        let context = Context()
        let worker = try context.socket(.dealer)
        try worker.prepareAsWorker()
        #expect(try worker.get(.heartbeatInterval) == nil)
        let coordinator = try context.socket(.router)
        try coordinator.prepare(asCoordinatorWithPayloads: 4 << 20)
        #expect(try coordinator.get(.heartbeatInterval) == nil)
    }

    @Test func theSystemEndsConnectionsWhoseOtherHostIsGone() throws {
        let context = Context()
        let worker = try context.socket(.dealer)
        try worker.prepareAsWorker()
        #expect(try worker.get(.confirmationTimeout) == .seconds(4))
        #expect(try worker.get(.connectTimeout) == .seconds(4))
        let coordinator = try context.socket(.router)
        try coordinator.prepare(asCoordinatorWithPayloads: 4 << 20)
        #expect(try coordinator.get(.confirmationTimeout) == .seconds(4))
    }
}
