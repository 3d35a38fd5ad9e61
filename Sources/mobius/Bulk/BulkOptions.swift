import ArgumentParser
import MobiusWire

/// The options of `mobius send` for many events.
struct BulkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the events in this file, one JSON value per line; '-' is standard input.", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "With several lines: the key of each is this, '-' and its number (default: made of the file's path and the "
                + "line).", valueName: "text"))
    var keyPrefix: String?

    @Option(help: ArgumentHelp("With several lines: begin with this one.", valueName: "number"))
    var fromLine: UInt64?

    @Flag(help: "With several lines: leave out and count those that are no event, or that the coordinator refuses.")
    var skipInvalid = false

    @Flag(help: "With several lines: each is an event as a whole, also one with the key 'event'.")
    var bare = false

    func validate() throws {
        guard fromLine != 0 else { throw ValidationError("Lines count from 1.") }
        guard (keyPrefix?.utf8.count ?? 1) <= 230, keyPrefix != "" else {
            throw ValidationError("--key-prefix has 1 to 230 bytes.")
        }
    }

    /// The first of these options that is given though there are not several lines; `nil` when there is none.
    var strayOption: String? {
        if keyPrefix != nil { return "--key-prefix" }
        if fromLine != nil { return "--from-line" }
        if skipInvalid { return "--skip-invalid" }
        return bare ? "--bare" : nil
    }
}
