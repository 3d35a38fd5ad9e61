/// Decides where a loop starts, given the model it is asked to start from (for instance the one it was stopped with).
public typealias Initiate<Model, Effect> = @Sendable (Model) -> First<Model, Effect>
