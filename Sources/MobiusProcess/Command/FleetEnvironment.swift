public import ArgumentParser
public import Foundation

/// Defaults of command-line options from `MOBIUS_…` environment variables.
///
/// Declare the option as optional, check it in `validate()` and read it with ``value(_:_:default:in:)``:
/// an option on the command line wins, then the variable, then the default.
public enum FleetEnvironment {
    /// The option, or the environment's value, or the default.
    ///
    /// - Throws: `ValidationError` (exit code 64) naming the variable when its value is not a `Value`.
    ///   An empty variable counts as absent. Safe from any thread.
    public static func value<Value: ExpressibleByArgument>(
        _ option: Value?, _ variable: String, default fallback: @autoclosure () -> Value,
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Value {
        try value(option, variable, in: environment) ?? fallback()
    }

    /// The option, or the environment's value, or nothing.
    ///
    /// - Throws: `ValidationError` (exit code 64) naming the variable when its value is not a `Value`.
    public static func value<Value: ExpressibleByArgument>(
        _ option: Value?, _ variable: String,
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Value? {
        if let option {
            return option
        }
        guard let text = environment[variable], !text.isEmpty else {
            return nil
        }
        guard let value = Value(argument: text) else {
            throw ValidationError(
                "The environment variable \(variable) is '\(text)', but must be \(kind(Value.self)). "
                    + "Correct it or unset it.")
        }
        return value
    }

    private static func kind<Value: ExpressibleByArgument>(_ type: Value.Type) -> String {
        let allowed = Value.allValueStrings
        if !allowed.isEmpty { return "one of \(allowed.joined(separator: ", "))" }
        if type is any FixedWidthInteger.Type { return "an integer" }
        if type is any BinaryFloatingPoint.Type { return "a number" }
        if type == DurationArgument.self { return "a length of time such as 10s, 250ms or 2m" }
        if type == SizeArgument.self { return SizeArgument.expectation }
        return "a valid value for that option"
    }
}

extension FleetEnvironment {
    /// The environment variable that names the only folder for sockets and announcements.
    package static let runtimeVariable = "MOBIUS_RUNTIME_DIR"

    /// The folders for sockets and announcements, the preferred one first: that of ``runtimeVariable`` alone if it is set.
    package static func runtimeFolders(in environment: [String: String]) -> [String] {
        if let only = environment[runtimeVariable], !only.isEmpty { return [only] }
        return [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap(\.self)
    }
}
