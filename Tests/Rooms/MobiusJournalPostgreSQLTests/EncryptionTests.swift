#if PostgreSQL
    import FleetTestSupport
    import Foundation
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    /// A server that sends large rows in records of TLS larger than what libpq reads at once.
    @Suite(
        "An encrypted connection",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .enabled(if: EncryptedProxy.isPossible, "python3 and openssl are not installed"), .patient)
    struct EncryptionTests {
        @Test("rows of 100 KB are read whole, whatever part of a record libpq has taken")
        func largeRows() async throws {
            let server = try await PostgreSQLServer.shared()
            let proxy = try await EncryptedProxy(to: server.port)
            let plain = try journal(in: server)
            let url = plain.replacing(":\(server.port)/", with: ":\(proxy.port)/")
                .replacing("?", with: "?sslmode=require&")
            // Their ends are anywhere in a record.
            let sizes = (0..<60).map { 100_000 + 1_237 * $0 }
            let loops = try sizes.map { try #require(LoopID("loop/\($0)")) }
            let store = try open(url)
            try store.commit(
                loops.map {
                    .event(EventRecord(loop: $0, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
                })
            for (loop, size) in zip(loops, sizes) {
                let model = Payload(kind: PayloadKind(type: "Model"), bytes: [UInt8](repeating: 7, count: size))
                try store.save(
                    Snapshot(loop: loop, sequence: 0, model: model, hash: FNV1a.hash(model.bytes), pending: []))
            }
            let backend = store.backend
            let isEncrypted = try await server.sql("SELECT ssl FROM pg_stat_ssl WHERE pid = \(backend)")
            #expect(isEncrypted == "f", "the proxy has the key")
            let read = Later { Result { try loops.map { try store.newestSnapshot(of: $0)?.model.bytes.count } } }
            #expect(try await read.value().get() == sizes)
            store.close()
            withExtendedLifetime(proxy) {}
        }
    }

    /// Serves TLS in front of a server without it.
    private final class EncryptedProxy: Sendable {
        static let isPossible = ["python3", "openssl"].allSatisfy { name in
            (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        }

        let port: Int
        private let folder: TestFolder
        private let process: TestProcess

        init(to server: Int) async throws {
            folder = try TestFolder()
            let (certificate, key) = (folder.file("certificate"), folder.file("key"))
            let made = try TestProcess(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
                ])
            try #require(try await made.end() == .exited(0))
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Tools/tls-proxy/tls-proxy.py").path
            process = try TestProcess(
                "/usr/bin/env", ["python3", script, certificate, key, "\(server)"], input: .pipe)
            try await process.output.wait(for: "the proxy's port") { !$0.isEmpty }
            port = try #require(Int(process.output.elements[0]))
        }
    }
#endif
