public import MobiusCore

extension InnerUpdate {
    /// A child that always exists, whose effects become effects of the parent.
    ///
    /// - Parameters:
    ///   - model: The child's model in the parent's.
    ///   - event: The child's event in one of the parent's, or `nil` for other events.
    ///   - update: The child's update.
    ///   - effect: The parent's effect for an effect of the child.
    @preconcurrency
    public init<InnerModel, InnerEvent, InnerEffect>(
        model: any WritableKeyPath<Model, InnerModel> & Sendable,
        event: @escaping @Sendable (Event) -> InnerEvent?,
        update: Update<InnerModel, InnerEvent, InnerEffect>,
        effect: @escaping @Sendable (InnerEffect) -> Effect
    ) {
        self.init(model: model, event: event, update: update) { _, change in
            .dispatchEffects(change.effects.map(effect))
        }
    }

    /// A child that always exists; the parent decides what follows from each of its changes.
    ///
    /// - Parameters:
    ///   - model: The child's model in the parent's.
    ///   - event: The child's event in one of the parent's, or `nil` for other events.
    ///   - update: The child's update.
    ///   - effects: Takes the parent's model with the child's change in it, and the child's change; it may change the
    ///     model further, and returns the parent's effects. A model that the child has changed is published in any
    ///     case.
    @preconcurrency
    public init<InnerModel, InnerEvent, InnerEffect>(
        model: any WritableKeyPath<Model, InnerModel> & Sendable,
        event: @escaping @Sendable (Event) -> InnerEvent?,
        update: Update<InnerModel, InnerEvent, InnerEffect>,
        effects: @escaping @Sendable (inout Model, Change<InnerEffect>) -> Change<Effect>
    ) {
        self.init(lifted: { whole, outer in
            guard let inner = event(outer) else { return nil }
            let change = update.step(&whole[keyPath: model], inner)
            return Self.follow(change, effects(&whole, change))
        })
    }

    /// A child that may be absent: while it is `nil`, its events do nothing.
    ///
    /// - Parameters:
    ///   - model: The optional child's model in the parent's.
    ///   - event: The child's event in one of the parent's, or `nil` for other events.
    ///   - update: The child's update.
    ///   - effect: The parent's effect for an effect of the child.
    @preconcurrency
    public init<InnerModel, InnerEvent, InnerEffect>(
        ifPresent model: any WritableKeyPath<Model, InnerModel?> & Sendable,
        event: @escaping @Sendable (Event) -> InnerEvent?,
        update: Update<InnerModel, InnerEvent, InnerEffect>,
        effect: @escaping @Sendable (InnerEffect) -> Effect
    ) {
        self.init(lifted: { whole, outer in
            guard let inner = event(outer) else { return nil }
            guard let change = Self.step(update, &whole[keyPath: model], inner) else { return .noChange }
            return Self.follow(change, .dispatchEffects(change.effects.map(effect)))
        })
    }

    /// `nil` without a child; otherwise the child is changed in place.
    private static func step<InnerModel, InnerEvent, InnerEffect>(
        _ update: Update<InnerModel, InnerEvent, InnerEffect>, _ model: inout InnerModel?, _ event: InnerEvent
    ) -> Change<InnerEffect>? {
        model == nil ? nil : update.step(&model!, event)
    }

    /// The parent's change that follows from the child's.
    private static func follow<InnerEffect>(
        _ inner: Change<InnerEffect>, _ outer: Change<Effect>
    ) -> Change<Effect> {
        inner.changed || outer.changed ? .next(effects: outer.effects) : outer
    }
}
