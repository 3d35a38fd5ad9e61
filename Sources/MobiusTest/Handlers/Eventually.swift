/// Waits until `condition` holds, yielding to other tasks; `false` if it does not in time.
@discardableResult
func eventually(within deadline: Duration, _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + deadline
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        await Task.yield()
        // Other threads need the processor, too, which a task that only yields may keep.
        try? await Task.sleep(for: .microseconds(100))
    }
    return true
}
