#if os(Linux)
    import FleetTestSupport
    import Foundation
    import MobiusCoordinator
    import MobiusCore
    import MobiusTransport
    import TestTraits
    import Testing

    /// What authenticates connections ends with the sockets that it guards.
    @Suite(.patient)
    struct AuthenticatorTests {
        @Test func itsThreadEndsWithTheSockets() async throws {
            let folder = try TestFolder()
            let keys = KeyDirectory(folder.file("keys"))
            _ = try keys.add("worker", try Rights(words: ["worker=*"]), file: keys.path(ofKey: "worker"))
            // More than other tests have at a time.
            let count = 40
            for _ in 0..<count {
                let pool = try WorkerPool(
                    EffectRouter<String, String>(), bind: "tcp://127.0.0.1:*", keys: keys.path)
                pool.close()
                await pool.closed()
            }
            try await eventually("the threads end") { try Self.authenticators() < count }
        }

        private static func authenticators() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
                // One that ends meanwhile has no name.
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return name == "authenticator\n"
            }
        }
    }
#endif
