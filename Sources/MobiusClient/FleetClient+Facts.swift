public import MobiusProgram
public import MobiusWire

// Loops that are found by their facts.
extension FleetClient {
    /// A page of the loops whose facts fulfil a condition; at most 1,000.
    ///
    /// A program declares facts of its models: see `FindableProgram`. Those of the last commit are found. A page may be short, or
    /// empty, and not be the last: go on behind `FoundLoops.next` until that is `nil`.
    ///
    /// - Parameters:
    ///   - prefix: Only loops whose names begin with it; with several programs it begins with the kind, as `order/` does.
    ///   - condition: A condition such as `stage = waiting and total > 100`; `nil` for all loops that have facts.
    ///   - sort: The fact by whose values they are ordered, such as `due`, or `-due` for the largest first; `nil` for their
    ///     names. Loops without that fact are left out.
    ///   - state: Only loops in this state.
    ///   - after: Only loops behind this place: the last page's `FoundLoops.next`.
    ///   - limit: The largest number of loops.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Throws: ``FleetClientError`` with `refused` for a condition that cannot be read, with its place, and where no facts are
    ///   declared.
    public func find(
        prefix: String = "", where condition: String? = nil, sort: String? = nil, state: LoopSummary.State? = nil,
        after: FactPlace? = nil, limit: Int = 1000, timeout: Duration? = nil
    ) async throws -> FoundLoops {
        guard prefix.utf8.count <= LoopID.maximumLength else {
            return FoundLoops(loops: [], places: [], next: nil, isComplete: true)
        }
        let query = FactListing(
            prefix: prefix, condition: condition, sort: sort, state: state, after: after, limit: Self.page(limit))
        let answer = try await ask(.find(query), timeout: timeout)
        guard case .found(let page) = answer.answer else { throw unexpected(answer.answer) }
        return page
    }

    /// A page of a program's loops whose facts fulfil a condition; otherwise as
    /// ``find(prefix:where:sort:state:after:limit:timeout:)``.
    public func find<Program: FindableProgram & FleetProgram>(
        _ program: Program.Type, where condition: String? = nil, sort: String? = nil, state: LoopSummary.State? = nil,
        after: FactPlace? = nil, limit: Int = 1000, timeout: Duration? = nil
    ) async throws -> FoundLoops {
        try await find(
            prefix: "\(Program.kind.name)/", where: condition, sort: sort, state: state, after: after, limit: limit,
            timeout: timeout)
    }
}
