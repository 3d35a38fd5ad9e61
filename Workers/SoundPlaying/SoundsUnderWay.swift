import Synchronization

/// Sounds that are played beside the one who asked for them, and to their end.
public final class SoundsUnderWay: Sendable {
    private struct State {
        var last = 0
        var playing: [Int: Task<Void, Never>] = [:]
    }

    private let player: SoundPlayer
    private let onSound: @Sendable (PlayedSound) -> Void
    private let state = Mutex(State())

    /// Plays nothing yet; `onSound` is called in a task after each sound.
    public init(_ player: SoundPlayer, onSound: @escaping @Sendable (PlayedSound) -> Void = { _ in }) {
        self.player = player
        self.onSound = onSound
    }

    /// Begins a sound, and returns at once; from any thread.
    public func begin() {
        state.withLock { state in
            state.last += 1
            let number = state.last
            state.playing[number] = Task {
                onSound(await player.play())
                self.state.withLock { $0.playing[number] = nil }
            }
        }
    }

    /// Waits until the sounds that have begun are over, which the player's time limit sees to.
    public func finished() async {
        for sound in state.withLock({ Array($0.playing.values) }) { await sound.value }
    }
}
