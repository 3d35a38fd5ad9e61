#if PostgreSQL
    import CLibPQ

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    extension Connection {
        /// Waits until another connection has notified a channel that this one listens to, or `time` has passed.
        ///
        /// - Throws: ``PostgreSQLError`` as soon as the connection is known to be lost.
        func awaitNotification(for time: Duration, orUntil alarm: Alarm) throws(PostgreSQLError) -> Bool {
            let end = ContinuousClock.now + time
            while true {
                guard isAlive, PQconsumeInput(handle) == 1 else { throw redacted(lost) }
                guard !takeNotifications() else { return true }
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero, !alarm.isRung() else { return false }
                var descriptors = [PQsocket(handle), alarm.descriptor].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                guard descriptors[0].fd >= 0,
                    poll(&descriptors, 2, Int32(clamping: left.milliseconds + 1)) >= 0 || errno == EINTR
                else { throw redacted(lost) }
            }
        }

        /// Whether there were notifications of others.
        private func takeNotifications() -> Bool {
            var isNotified = false
            while let notification = PQnotifies(handle) {
                if notification.pointee.be_pid != backend { isNotified = true }
                PQfreemem(notification)
            }
            return isNotified
        }
    }

    extension Duration {
        /// Whole milliseconds.
        var milliseconds: Int64 { microseconds / 1000 }

        /// Whole microseconds, at most a thousand years of them.
        var microseconds: Int64 {
            let (seconds, attoseconds) = components
            let most: Int64 = 31_557_600_000
            return min(max(seconds, -most), most) * 1_000_000 + attoseconds / 1_000_000_000_000
        }
    }
#endif
