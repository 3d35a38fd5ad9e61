public import MobiusProgram
public import MobiusWire

/// A page of models of loops.
public struct ModelPage<Model: Sendable>: Sendable {
    /// The models, in the order of their loops' names.
    public var models: [Model]
    /// The loops whose models cannot be read, such as held ones without a last good model, and why.
    public var unread: [(loop: LoopID, error: FleetClientError)]
    /// The loop behind which to continue; `nil` at the end.
    public var next: LoopID?

    /// Makes a page.
    public init(_ models: [Model], unread: [(loop: LoopID, error: FleetClientError)] = [], next: LoopID?) {
        self.models = models
        self.unread = unread
        self.next = next
    }
}

// Models of many loops.
extension FleetClient {
    /// The number of models that are read at once: a few round trips for a page, and not all that a coordinator takes of one client.
    private static let readAtOnce = 64

    /// The current models of the loops whose names begin so, a page at a time: one list of names, and their models side by side.
    ///
    /// Each model is as `model(of:at:timeout:)` gives it; together they are of no one moment. A loop that is removed meanwhile is
    /// left out, and one whose model is refused is in ``ModelPage/unread``.
    ///
    /// - Parameters:
    ///   - prefix: Only loops whose names begin with it, such as `order/`.
    ///   - state: Only loops in this state.
    ///   - after: Only loops behind this one: the last page's ``ModelPage/next``.
    ///   - limit: The largest number of models, at most 1,000.
    ///   - timeout: The time to wait for each answer; `nil` for the client's own.
    /// - Throws: ``FleetClientError`` as `model(of:at:timeout:)` does; `CancellationError`.
    public func models(
        prefix: String, state: LoopSummary.State? = nil, after: LoopID? = nil, limit: Int = 1000,
        timeout: Duration? = nil
    ) async throws -> ModelPage<LoopModel> {
        let page = try await loops(prefix: prefix, state: state, after: after, limit: limit, timeout: timeout)
        let models = try await withThrowingTaskGroup(of: (Int, Result<LoopModel, FleetClientError>?).self) { group in
            var models = [Result<LoopModel, FleetClientError>?](repeating: nil, count: page.loops.count)
            for (place, loop) in page.loops.enumerated() {
                if place >= Self.readAtOnce, let (read, model) = try await group.next() { models[read] = model }
                group.addTask { (place, try await self.presentModel(of: loop.loop, timeout)) }
            }
            for try await (read, model) in group { models[read] = model }
            return models
        }
        var read = ModelPage<LoopModel>([], next: page.next)
        for (loop, model) in zip(page.loops, models) {
            switch model {
            case nil: break
            case .success(let model): read.models.append(model)
            case .failure(let error): read.unread.append((loop.loop, error))
            }
        }
        return read
    }

    /// The current models of a program's loops, by their addresses; otherwise as ``models(prefix:state:after:limit:timeout:)``.
    ///
    /// The loop that is named as its kind, without a key, is not among them: `model(of:at:timeout:)` reads it by `Address.only`.
    ///
    /// - Throws: also ``FleetClientError`` with `unreadable` for a model of another program, `forbidden` for a masked one.
    public func models<Program: FleetProgram>(
        of program: Program.Type, state: LoopSummary.State? = nil, after: LoopID? = nil, limit: Int = 1000,
        timeout: Duration? = nil
    ) async throws -> ModelPage<(address: Address<Program>, model: Program.Model)> {
        let page = try await models(
            prefix: "\(Program.kind.name)/", state: state, after: after, limit: limit, timeout: timeout)
        let models = try page.models.compactMap { model in
            try Address<Program>(model.loop).map { ($0, try programs.model(model, of: program)) }
        }
        return ModelPage(models, unread: page.unread, next: page.next)
    }

    private func presentModel(
        of loop: LoopID, _ timeout: Duration?
    ) async throws -> Result<LoopModel, FleetClientError>? {
        do {
            return .success(try await model(of: loop, timeout: timeout))
        } catch let error as FleetClientError where error.code == .notFound {
            return nil
        } catch let error as FleetClientError where error.code == .refused {
            return .failure(error)
        }
    }
}
