import Greeter
import MobiusCore
import MobiusWorker

@main struct GreeterWorker: WorkerCommand {
    static let pool = "greeters"

    var handler: EffectRouter<Greeter.Effect, Greeter.Event> {
        EffectRouter().routeCase(Greeter.Effect.greet).toEvent { name in
            print("Hello, \(name)!")
            return .greeted(name)
        }
    }
}
