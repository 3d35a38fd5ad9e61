#if HTTP
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    /// The loops of several programs over HTTP.
    @Suite(.patient)
    struct KindsTests {
        private let folder: TestFolder
        private let coordinator: TestProcess

        init() throws {
            folder = try TestFolder()
            coordinator = try TestProcess(
                "orders-coordinator", ["--bind", "ipc://\(folder.file("s"))"], in: folder.path)
        }

        @Test func anUnknownKindIsAnUnknownLoopWithTheNearestKind() async throws {
            let server = try await Server(of: coordinator)
            let sent = try await server.send(#"{"cancelled":{}}"#, to: "ordr%2F4711")
            #expect(sent.status == 404)
            #expect(sent.problem == "unknown-loop")
            let detail = try #require(sent.json["detail"] as? String)
            #expect(detail.contains("the kinds are customer, order, statistics. Did you mean order?"), "\(detail)")
            let read = try await server.ask("/loops/ordr%2F4711")
            #expect(read.status == 404)
            #expect(read.problem == "unknown-loop")
            // Nothing began.
            #expect((try await server.ask("/loops").json["loops"] as? [Any])?.isEmpty == true)
        }

        @Test func eachKindHasPathsOfItsOwn() async throws {
            let server = try await Server(of: coordinator)
            let paths = try #require(try await server.ask("/openapi.json").json["paths"] as? [String: Any])
            var names: Set<String> = []
            for kind in ["customer", "order", "statistics"] {
                for path in ["/loops/\(kind)/events", "/loops/\(kind)%2F{key}/events"] {
                    let post = try #require((paths[path] as? [String: Any])?["post"] as? [String: Any], "\(path)")
                    names.insert(try #require(post["operationId"] as? String))
                    let body = try JSONSerialization.data(withJSONObject: post["requestBody"] ?? "")
                    #expect(String(decoding: body, as: UTF8.self).contains("$defs\\/\(kind).Event"))
                }
            }
            #expect(names.count == 6)
            // It works as it is described.
            let sent = try await server.send(#"{"began":{"_0":"4711"}}"#, to: "customer")
            #expect(sent.status == 200)
            #expect(try await server.send(#"{"began":{"_0":"4711"}}"#, to: "customer%2Fada").status == 200)
        }
    }
#endif
