import Foundation
import MobiusCore
import Testing

@Suite struct MobiusHooksTests {
    @Test func `the handler gets the sentence and the place`() async {
        let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
            MobiusHooks.setErrorHandler { message, file, line in
                FileHandle.standardError.write(Data("\(message) at \(file) \(line)".utf8))
                exit(3)
            }
            MobiusHooks.errorHandler("Oh no", "here", 7)
        }
        #expect(message(of: result) == "Oh no at here 7")
    }

    @Test func `by default the process stops with the sentence`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            MobiusHooks.setErrorHandler { _, _, _ in exit(0) }
            MobiusHooks.setDefaultErrorHandler()
            MobiusHooks.errorHandler("Oh no", "here.swift", 7)
        }
        #expect(message(of: result).contains("here.swift:7: Fatal error: Oh no"))
    }
}
