import ArgumentParser
import Counter
import MobiusCore
import MobiusWorker
import SoundPlaying

/// Plays the counter's sounds.
@main struct SoundPlayerWorker: WorkerCommand {
    static let pool = "sound-player"
    static let abstract = "Plays the sounds that a counter asks for, and says on its output how."

    @OptionGroup(title: "Sound") var sound: SoundOptions

    var handler: EffectRouter<Counter.Effect, Counter.Event> {
        let player = sound.soundPlayer
        return EffectRouter().routeCase(Counter.Effect.playSound).to { _ in
            print("Sound: \(await player.play())")
        }
    }
}
