public import ArgumentParser

/// The exit codes of every fleet executable; the numbers are those of BSD's `sysexits.h` where it has one.
///
/// ArgumentParser names the first ones: `.success` (0) and `.validationFailure` (64, wrong usage).
extension ExitCode {
    /// 1: the program finished with a negative result (Site Audit: broken links found).
    public static let negativeAnswer = ExitCode(1)
    /// 3: the program's `update` refused the event, which is on disk (`mobius send`).
    public static let refusedByProgram = ExitCode(3)
    /// 3: a command that acts on many things did so to some, and has listed those that refused (`mobius dead --all`).
    public static var partial: ExitCode { refusedByProgram }
    /// 64: the command line, an environment variable or a file named by them is invalid.
    public static let usage = ExitCode(64)
    /// 66: a file that must be read does not exist or is not readable.
    public static let noInput = ExitCode(66)
    /// 69: something external is unavailable: an unreachable address, a command that cannot be started.
    public static let unavailable = ExitCode(69)
    /// 70: a bug in the program.
    public static let software = ExitCode(70)
    /// 73: a file that must be written cannot be (report, journal, runtime directory).
    public static let cannotCreate = ExitCode(73)
    /// 74: the journal is damaged, or belongs to another app; or standard output cannot be written.
    public static let dataError = ExitCode(74)
    /// 75: try again later: another coordinator holds the journal.
    public static let temporaryFailure = ExitCode(75)
    /// 77: refused for security: the coordinator does not admit the key, or the key lacks the right.
    public static let notPermitted = ExitCode(77)
    /// 78: an insecure configuration: an endpoint that other hosts can reach without keys, or keys that others may
    /// read.
    public static let configuration = ExitCode(78)

    /// The code a shell gives to a process that a signal ended: 128 + its number (130 for SIGINT, 143 for SIGTERM).
    public static func signal(_ number: Int32) -> ExitCode {
        ExitCode(128 + number)
    }
}
