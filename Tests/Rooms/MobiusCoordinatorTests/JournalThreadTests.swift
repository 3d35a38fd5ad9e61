import Dispatch
import FleetTestSupport
import MobiusCoordinator
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// How many records become one commit, on a disk that was busy meanwhile.
@Suite("What queues up for the journal", .patient)
struct JournalThreadTests {
    @Test("is one commit up to the limit", arguments: [1, 300, JournalQueue.maximumRecords])
    func oneCommit(records: Int) async throws {
        #expect(try await commits(of: records) == [records])
    }

    @Test("is more commits beyond it, in their order")
    func moreCommits() async throws {
        let limit = JournalQueue.maximumRecords
        #expect(try await commits(of: limit + 1) == [limit, 1])
    }

    @Test("is more commits when it is large, each of a mebibyte")
    func large() async throws {
        #expect(try await commits(of: 10, bytesEach: 300 << 10) == [4, 4, 2])
    }

    /// Queues up so many records, one by one, while the thread is held up; answers how many each commit had.
    private func commits(of records: Int, bytesEach: Int = 0) async throws -> [Int] {
        let folder = try TestFolder()
        let store = try SQLiteJournal(path: folder.file("journal"), application: "test", build: "1")
        let (reports, heard) = AsyncStream.makeStream(of: WriterReport.self)
        let thread = JournalThread(store) { heard.yield($0) }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let busy = DispatchSemaphore(value: 0)
        thread.perform { _ in
            begin.finish()
            busy.wait()
        }
        for await _ in begun {}
        for number in 0..<records {
            let record = EventRecord(
                loop: .main, sequence: UInt64(number), source: number == 0 ? .start : .outside("\(number)"),
                event: number == 0 ? nil : Payload(kind: PayloadKind(type: "Test.Event"), bytes: []), effects: [],
                ends: nil)
            thread.append(Ticket(UInt64(number) + 1), [.event(record)], facts: [], bytes: bytesEach)
        }
        busy.signal()
        thread.close()
        var (commits, next): ([Int], UInt64) = ([], 1)
        for await report in reports {
            switch report {
            case .committed(let tickets):
                #expect(tickets == tickets.indices.map { Ticket(next + UInt64($0)) })
                next += UInt64(tickets.count)
                commits.append(tickets.count)
            case .closed: return commits
            case .failed(let error): throw error
            case .parked, .saved, .snapshotFailed: Issue.record("Nobody asked for a snapshot.")
            }
        }
        return commits
    }
}
