#if PostgreSQL
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import MobiusWire
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Several programs in a cluster, of which a later build retires one.
    @Suite(
        "A cluster of several programs",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct KindsClusterTests {
        private enum Event: Codable, Sendable { case arrived(city: String) }
        private struct Depot: Codable { let count: Int }

        // None is lost on a slow machine.
        private static let lease = "8s"
        private static let retired = ["PARCELS_RETIRED": "1"]
        private static let cities = ["Oslo", "Rome", "Bern", "Riga"]

        /// Sends an arrival until it is confirmed, and returns `true`; or until the program's retirement is the answer.
        private func arrive(_ parcel: String, _ round: Int, _ client: FleetClient) async throws -> Bool {
            let (loop, answers) = (try #require(LoopID("parcel/\(parcel)")), Journey<Bool>())
            let city = Self.cities[abs(parcel.utf8.reduce(0) { $0 + Int($1) }) % Self.cities.count]
            try await eventually("\(parcel) has arrived, or is refused") {
                do {
                    _ = try await client.send(
                        Event.arrived(city: city), loop: loop, key: "\(round)", timeout: .seconds(5))
                    answers.add(true)
                } catch let error as FleetClientError where error.message.contains("retired") {
                    #expect(error.code == .refused)
                    answers.add(false)
                }
                return true
            }
            return answers.elements == [true]
        }

        /// Waits until the depots have counted so many arrivals.
        private func counted(_ count: Int, _ client: FleetClient) async throws {
            try await eventually("\(count) arrivals") {
                var sum = 0
                for city in Self.cities {
                    guard let loop = LoopID("depot/\(city)") else { return false }
                    let read = try await client.model(of: loop, timeout: .seconds(5))
                    sum += try JSONDecoder().decode(Depot.self, from: Data(read.payload.bytes)).count
                }
                return sum == count
            }
        }

        @Test("loops of a retired kind go on in all shards; a new one begins only in those of the earlier build")
        func retiring() async throws {
            let cluster = try await RegisterCluster("parcels-coordinator")
            let client = cluster.client(of: "a", "b", "c")
            let first = try cluster.coordinator("a", lease: Self.lease)
            try await RegisterCluster.run([first])
            let parcels = (1...24).map { "old-\($0)" }
            for parcel in parcels { #expect(try await arrive(parcel, 1, client)) }
            try await counted(24, client)

            // Two of the four shards are run by the later build then.
            let second = try cluster.coordinator("b", lease: Self.lease, environment: Self.retired)
            try await RegisterCluster.run([second])
            for parcel in parcels { #expect(try await arrive(parcel, 2, client)) }
            var begun = 0
            for number in 1...24 where try await arrive("new-\(number)", 1, client) { begun += 1 }
            #expect((1...23).contains(begun))
            try await counted(48 + begun, client)
            #expect(try await client.quarantine().elements.isEmpty)

            // The same for events that are sent in a coordinator's process, also to loops that another one runs. With two, each runs
            // two of the four shards.
            first.signal(SIGTERM)
            try await first.end()
            let third = try cluster.coordinator("c", lease: Self.lease, environment: ["PARCELS_BEGIN": "1"])
            try await third.output.wait(for: "an attempt of both ends") { lines in
                lines.contains { $0.hasPrefix("some began, some not: ") && $0.contains("retired") }
            }

            // The later build runs all.
            third.signal(SIGTERM)
            try await third.end()
            for parcel in parcels { #expect(try await arrive(parcel, 3, client)) }
            #expect(try await !arrive("newest", 1, client))
            try await counted(72 + begun, client)
            #expect(!second.isGone)
        }
    }
#endif
