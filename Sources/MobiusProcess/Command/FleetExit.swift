public import ArgumentParser
public import Foundation

/// The end of a command with an exit code, and a message with the reason and what to do.
///
/// Throw it inside ``reporting(_:)``: the message goes to stderr and the process exits with the code. Outside,
/// `LocalizedError` makes ArgumentParser print the same message, with code 1.
public struct FleetExit: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The exit code.
    public let code: ExitCode
    /// The message for the operator: the problem and what to do.
    ///
    /// It never contains payload bytes.
    public let sentence: String

    /// Makes an exit; `FleetExit(.unavailable, "http://… does not answer; is it running?")`.
    public init(_ code: ExitCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The sentence.
    public var description: String { sentence }

    /// The sentence.
    public var errorDescription: String? { sentence }

    /// Runs a command's work; a `FleetExit` from it is printed as `Error: sentence` and becomes ArgumentParser's `ExitCode`.
    ///
    /// Other errors pass unchanged: ArgumentParser prints them and exits with its own code for them.
    public static func reporting<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let exit as FleetExit {
            throw exit.report()
        }
    }

    /// Prints `Error: sentence` to stderr (nothing for an empty sentence); returns the code to throw to ArgumentParser.
    public func report() -> ExitCode {
        if !sentence.isEmpty {
            StandardError.write("Error: \(TerminalText.lines(sentence))\n")  // it may contain text of peers
        }
        return code
    }
}
