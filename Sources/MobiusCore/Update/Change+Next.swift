extension Change {
    /// Stores the model of `next`, if it has one, in `model`, and returns the change.
    @inlinable
    init<Model>(applying next: Next<Model, Effect>, to model: inout Model) {
        if let new = next.model {
            model = new
            self.init(changed: true, effects: next.effects)
        } else {
            self.init(changed: false, effects: next.effects)
        }
    }
}
