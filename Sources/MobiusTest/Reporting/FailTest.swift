import Foundation
import MobiusCore
import Testing
import XCTest

/// Fails the test that is running, at the given line: under Swift Testing and under XCTest.
///
/// The specs of this module use it by default. It may be called from any thread of an XCTest, and from the tasks of a
/// test of Swift Testing. If no such test is running, it reports a programmer error (see `MobiusHooks`), so that no
/// failure is lost.
public func failTest(_ message: String, _ file: StaticString, _ line: UInt) {
    if Test.current != nil {
        Issue.record(Comment(rawValue: message), sourceLocation: SourceLocation(file, line))
    } else if !XCTestFailures.record(message, file, line) {
        MobiusHooks.errorHandler("\(message)\nNo test is running that this could fail.", file, line)
    }
}

extension SourceLocation {
    /// `file` is a path, or (in Swift 6) a module's name and a file's.
    fileprivate init(_ file: StaticString, _ line: UInt) {
        let path = "\(file)"
        let parts = path.split(separator: "/")
        let fileID = parts.count > 1 ? parts.suffix(2).joined(separator: "/") : "Tests/\(path)"
        self.init(fileID: fileID, filePath: path, line: Int(line), column: 1)
    }
}

/// Fails tests of XCTest, and returns whether one was running: `XCTFail` does nothing without a test case.
///
/// Unchecked, because it counts with the lock held.
private final class XCTestFailures: NSObject, XCTestObservation, @unchecked Sendable {
    /// One observer for the process; failures are serialised, so that each detects its own.
    private static let observer = XCTestFailures()
    private static let turn = NSLock()
    private var count = 0

    static func record(_ message: String, _ file: StaticString, _ line: UInt) -> Bool {
        turn.withLock {
            let before = observer.count
            XCTestObservationCenter.shared.addTestObserver(observer)
            defer { XCTestObservationCenter.shared.removeTestObserver(observer) }
            XCTFail(message, file: file, line: line)
            return observer.count > before
        }
    }

    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
        atLine lineNumber: Int
    ) {
        count += 1
    }
}
