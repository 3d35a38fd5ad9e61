extension Topology {
    /// The configuration of a process, shared by the coordinator and the workers of a pool.
    package struct Process: Equatable, Sendable {
        /// The executable and its arguments; never empty.
        package var command: [String]
        /// Variables added to the environment of `mobius up` and of the fleet.
        package var environment: [String: String]
        /// Its working directory, relative to the file; nil for that of `mobius up`.
        package var workingDirectory: String?
        /// The time that it may take to stop before it is killed; nil for the fleet's ``Topology/stopGrace``.
        package var stopGrace: Duration?
        /// The rule for its restarts.
        package var restart = RestartPolicy()
        /// The check of its health; nil for none.
        package var health: Health?
        /// The style of its lines in the output of `mobius up`.
        package var log = LogStyle()

        /// Makes a process.
        package init(command: [String], environment: [String: String] = [:]) {
            self.command = command
            self.environment = environment
        }
    }

    /// The check of a process's health, with its settings.
    package struct Health: Equatable, Sendable {
        /// The check itself.
        package var check: Check
        /// The schedule of the check, and the treatment of failures.
        package var rule = HealthRule()

        /// Makes a health check with the default rule.
        package init(_ check: Check) {
            self.check = check
        }

        /// A way to check the health of a process.
        package enum Check: Equatable, Sendable {
            /// Runs an executable with arguments and checks its exit code; never empty.
            case command([String])
            /// Requests this path over HTTP, at the address that the process gets in `MOBIUS_HTTP`, and checks the
            /// status.
            case http(String)
        }
    }

    /// The style of output lines.
    package struct LogStyle: Equatable, Sendable {
        /// The prefix of lines instead of the process name; workers append their number.
        package var prefix: String?
        /// The prefix's colour on a terminal; nil for one derived from the name.
        package var colour: Colour?
    }

    /// Colours that are readable on dark and light backgrounds.
    package enum Colour: String, CaseIterable, Sendable {
        case red, green, yellow, blue, magenta, cyan
        /// The terminal's default colour.
        case none
    }
}
