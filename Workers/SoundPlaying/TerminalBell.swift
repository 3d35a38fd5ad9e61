#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bell of the terminal that a process was started from.
enum TerminalBell {
    /// Rings it: the controlling terminal's, else that of standard output; false when neither is a terminal.
    ///
    /// Never waits: the bell of a terminal that takes no output just now (Ctrl-S) is lost.
    static func ring() -> Bool {
        // A description of our own, so that only these writes are non-blocking.
        let terminal = open("/dev/tty", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        if terminal >= 0 {
            defer { close(terminal) }
            return writeBell(to: terminal)
        }
        guard isatty(STDOUT_FILENO) == 1 else { return false }
        var polled = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, 0) == 1 && writeBell(to: STDOUT_FILENO)
    }

    private static func writeBell(to descriptor: Int32) -> Bool {
        // `stty tostop` would stop a process in the background at its first output.
        var (output, before) = (sigset_t(), sigset_t())
        sigemptyset(&output)
        sigaddset(&output, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &output, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var bell = UInt8(ascii: "\u{7}")
        return write(descriptor, &bell, 1) == 1
    }
}
