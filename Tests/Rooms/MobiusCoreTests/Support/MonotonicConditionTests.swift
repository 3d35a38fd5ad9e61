import Foundation
import MobiusCore
import Testing

/// A condition whose waits do not go by the calendar.
@Suite struct MonotonicConditionTests {
    // Accessed with the condition's lock held.
    private final class Flag: @unchecked Sendable { var isUp = false }

    @Test func aWaitEndsWhenItsTimeHasPassed() {
        let condition = MonotonicCondition()
        condition.lock()
        for time in [Duration.zero, .seconds(-1), .milliseconds(2)] {
            let begin = ContinuousClock.now
            while condition.wait(for: time) {}
            #expect(begin.duration(to: .now) >= time)
        }
        condition.unlock()
    }

    @Test func aWaitEndsWhenItIsWoken() {
        let (condition, flag) = (MonotonicCondition(), Flag())
        let isWaiting = Flag()
        Thread.detachNewThread {
            condition.lock()
            while !isWaiting.isUp { _ = condition.wait(for: .seconds(3600)) }
            flag.isUp = true
            condition.unlock()
            condition.broadcast()
        }
        condition.lock()
        isWaiting.isUp = true
        condition.signal()
        while !flag.isUp { #expect(condition.wait(for: .seconds(3600))) }
        condition.unlock()
    }
}
