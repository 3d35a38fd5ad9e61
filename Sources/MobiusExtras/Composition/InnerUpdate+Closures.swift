public import MobiusCore

extension InnerUpdate {
    /// A child whose model is extracted from the parent's and put back by functions: for enums, and for code ported
    /// from Mobius in Java.
    ///
    /// - Parameters:
    ///   - modelExtractor: The child's model in the parent's.
    ///   - eventExtractor: The child's event in one of the parent's, or `nil` for other events.
    ///   - innerUpdate: The child's update.
    ///   - modelUpdater: The parent's model with the child's changed one in it; called when the child has a new one.
    ///   - innerEffectHandler: Takes the parent's model with the child's in it, whether the child changed it, and the
    ///     child's effects; returns the result of the update. To publish the child's change, return the model.
    @preconcurrency
    public init<InnerModel, InnerEvent, InnerEffect>(
        modelExtractor: @escaping @Sendable (Model) -> InnerModel,
        eventExtractor: @escaping @Sendable (Event) -> InnerEvent?,
        innerUpdate: Update<InnerModel, InnerEvent, InnerEffect>,
        modelUpdater: @escaping @Sendable (Model, InnerModel) -> Model,
        innerEffectHandler: @escaping @Sendable (Model, Bool, [InnerEffect]) -> Next<Model, Effect>
    ) {
        self.init(lifted: { whole, outer in
            guard let inner = eventExtractor(outer) else { return nil }
            let result = innerUpdate.update(model: modelExtractor(whole), event: inner)
            let updated = result.model.map { modelUpdater(whole, $0) } ?? whole
            let next = innerEffectHandler(updated, result.model != nil, result.effects)
            guard let new = next.model else { return .dispatchEffects(next.effects) }
            whole = new
            return .next(effects: next.effects)
        })
    }
}
