import Foundation
import MobiusCore
import Testing

/// For the inside of exit tests: programmer errors print their sentence and leave with status 70, without a backtrace.
func printErrorsAndLeave() {
    MobiusHooks.setErrorHandler { message, _, _ in
        FileHandle.standardError.write(Data(message.utf8))
        exit(70)
    }
}

/// What an exit test printed.
func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
