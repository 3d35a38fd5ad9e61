import Foundation
import MobiusCore
import MobiusTest
import Synchronization
import Testing
import XCTest

/// A failed matcher fails the test that is running, at the matcher's line.
// Serialised, because XCTest has one current test case in a process.
@Suite(.serialized) struct ReportingTests {
    @Test func `under Swift Testing an issue is recorded at the line of the matcher`() {
        let line = #line
        withKnownIssue {
            UpdateSpec<Int, Int, Int> { model, event in .next(model + event) }.given(1).when(1).then(
                assertThatNext(
                    hasModel(3)))
        } matching: { issue in
            issue.sourceLocation?.line == line + 4 && issue.sourceLocation?.fileName == "ReportingTests.swift"
                && issue.comments.first?.rawValue.hasPrefix("The model is not the one expected.") == true
        }
    }

    @Test func `the place may be a full path, as Swift 5 has it`() {
        withKnownIssue {
            failTest("Oh no", "/somewhere/AppTests/Tests.swift", 7)
        } matching: { issue in
            issue.sourceLocation?.line == 7 && issue.sourceLocation?.fileID == "AppTests/Tests.swift"
        }
    }

    /// Runs `body` as a test case of XCTest would, and keeps how it fails.
    private func runAsXCTest(_ body: @escaping @Sendable () -> Void) async -> [String] {
        await withCheckedContinuation { continuation in
            // On a thread of its own, where this test of Swift Testing is not the current one.
            Thread.detachNewThread {
                let watcher = FailureWatcher()
                XCTestObservationCenter.shared.addTestObserver(watcher)
                XCTestCase(name: "probe", testClosure: { _ in body() }).run()
                XCTestObservationCenter.shared.removeTestObserver(watcher)
                continuation.resume(returning: watcher.failures)
            }
        }
    }

    @Test func `under XCTest the test case fails at the line of the matcher`() async {
        let line = #line
        let failures = await runAsXCTest {
            InitSpec<Int, Int> { First(model: $0) }.when(1).then(
                assertThatFirst(
                    hasModel(2)))
        }
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix("ReportingTests.swift:\(line + 4) ") == true)
        #expect(failures.first?.contains("The model is not the one expected.") == true)
    }

    @Test func `under XCTest a spec that holds does not fail`() async {
        let failures = await runAsXCTest {
            InitSpec<Int, Int> { First(model: $0) }.when(1).then(assertThatFirst(hasModel(1), hasNoEffects()))
        }
        #expect(failures == [])
    }

    @Test func `where no test is running, a failure is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            MobiusHooks.setErrorHandler { message, file, line in
                FileHandle.standardError.write(Data("\(message) [\(file):\(line)]".utf8))
                exit(70)
            }
            Thread.detachNewThread { failTest("Oh no", "Some/File.swift", 7) }
            try await Task.sleep(for: .seconds(600))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text == "Oh no\nNo test is running that this could fail. [Some/File.swift:7]")
    }
}

/// Keeps the failures of XCTest.
///
/// Unchecked, because one thread runs the test case and reads them.
private final class FailureWatcher: NSObject, XCTestObservation, @unchecked Sendable {
    private(set) var failures: [String] = []

    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
        atLine lineNumber: Int
    ) {
        let file = filePath?.split(separator: "/").last ?? "?"
        failures.append("\(file):\(lineNumber) \(description)")
    }
}
