/// Runs what is counted: the tool that counts (see `Tests/run instructions`) looks only at what is called from here.
// Not optimised: copies of it for their closures have its name in theirs, and return after the work.
@_silgen_name("fixed_work_counted")
@_optimize(none) @inline(never)
func counted(_ work: () throws -> Void) rethrows { try work() }

/// Keeps a result that nobody else uses: the optimiser cannot leave out how it is made.
@inline(never)
func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
