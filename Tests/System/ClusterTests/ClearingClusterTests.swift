#if PostgreSQL
    import BankFleet
    import Clearing
    import FleetTestSupport
    import MobiusClient
    import MobiusWire
    import TestTraits
    import Testing

    /// Accounts and transfers in several shards, whose coordinators die while they ask each other.
    @Suite(
        "A cluster of programs that ask each other",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ClearingClusterTests {
        @Test("the books are equal, whichever coordinator is killed")
        func booksAreEqual() async throws {
            let cluster = try await RegisterCluster("clearing-coordinator")
            let customers = ClearingCustomers(cluster.doors("a", "b"), transfers: 60)
            var coordinators = try ["a", "b"].map { try cluster.coordinator($0, lease: "2s") }
            try await RegisterCluster.run(coordinators)
            async let requests: Void = customers.request()
            let client = cluster.client(of: "a", "b")
            for (number, place) in [(5, 0), (20, 1), (35, 0)] {
                try await eventually("transfer \(number) has begun") {
                    let page = try await client.loops(prefix: "transfer/\(number)", timeout: .seconds(5))
                    return page.loops.contains { $0.loop.name == "transfer/\(number)" }
                }
                try await coordinators[place].kill()
                coordinators[place] = try cluster.coordinator(["a", "b"][place], lease: "2s")
            }
            try await requests
            let books = try await customers.books()
            #expect(books.complaints() == [])
            #expect(Set(books.transfers.values.map(\.stage)) == [.done, .refused])
            #expect(books.transfers.count == 60)
            await client.close()
        }
    }
#endif
