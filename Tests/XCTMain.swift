import Foundation
import Testing

/// Runs all tests; SwiftPM knows it by its name.
///
/// With it the build needs no index, where SwiftPM otherwise looks for tests of XCTest; those are only in
/// `Packages/MobiusSwift5Client`.
@main
struct TestMain {
    static func main() async {
        let arguments = CommandLine.arguments
        let place = arguments.firstIndex(of: "--testing-library") ?? arguments.endIndex
        guard arguments.dropFirst(place + 1).first == "swift-testing" else {
            try? FileHandle.standardError.write(
                contentsOf: Data("Run Tests/run, or swift test --disable-xctest --enable-swift-testing.\n".utf8))
            exit(64)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
