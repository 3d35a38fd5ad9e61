extension Topology {
    /// What the coordinator and the workers of a pool have in common: how a process runs.
    package struct Process: Equatable, Sendable {
        /// The executable and its arguments; never empty.
        package var command: [String]
        /// What is added to the environment of `mobius up` and of the whole fleet.
        package var environment: [String: String]
        /// Where it runs, relative to the file; nil for where `mobius up` runs.
        package var workingDirectory: String?
        /// How long it may take to stop before it is killed; nil for the fleet's ``Topology/stopGrace``.
        package var stopGrace: Duration?
        /// When it starts again.
        package var restart = RestartPolicy()
        /// How its health is found out, if at all.
        package var health: Health?
        /// How its lines look in the output of `mobius up`.
        package var log = LogStyle()

        /// Makes a process.
        package init(command: [String], environment: [String: String] = [:]) {
            self.command = command
            self.environment = environment
        }
    }

    /// How one finds out whether a process is well.
    package struct Health: Equatable, Sendable {
        /// What is done for it.
        package var check: Check
        /// When that is done, and what its failures mean.
        package var rule = HealthRule()

        /// Makes one with the default rule.
        package init(_ check: Check) {
            self.check = check
        }

        /// What tells whether a process is well.
        package enum Check: Equatable, Sendable {
            /// The exit code of an executable with these arguments; never empty.
            case command([String])
            /// The status of this path over HTTP, at the address that the process finds in `MOBIUS_HTTP`.
            case http(String)
        }
    }

    /// How lines look.
    package struct LogStyle: Equatable, Sendable {
        /// What stands before the lines instead of the name; workers have their number behind it.
        package var prefix: String?
        /// The prefix's colour on a terminal; nil for one that follows from the name.
        package var colour: Colour?
    }

    /// Colours that are readable on dark and on light.
    package enum Colour: String, CaseIterable, Sendable {
        case red, green, yellow, blue, magenta, cyan
        /// The terminal's own.
        case none
    }
}
