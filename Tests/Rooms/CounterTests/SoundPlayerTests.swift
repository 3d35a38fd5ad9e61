import FleetTestSupport
import Foundation
import SoundPlaying
import TestTraits
import Testing

/// Playing sounds, with scripts in the place of players.
@Suite(.patient, .ownThread)
struct SoundPlayerTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func player(_ choice: PlayerChoice, timeLimit: Duration = .seconds(3600)) -> SoundPlayer {
        SoundPlayer(choice, file: "plop.wav", timeLimit: timeLimit, environment: ["PATH": "/nowhere:\(folder.path)"])
    }

    /// What remains when no program plays: a bell where there is a terminal, as may be where the tests run.
    private func isModest(_ sound: PlayedSound) -> Bool { sound == .bell || sound == .nothing }

    @Test func theFirstPlayerThatWorksPlaysTheFile() async throws {
        try folder.script("paplay", "echo $1 > \(folder.file("played"))")
        try folder.script("aplay", "exit 1")
        #expect(await player(.auto).play() == .program("paplay", file: "plop.wav"))
        #expect(try String(contentsOfFile: folder.file("played"), encoding: .utf8) == "plop.wav\n")
    }

    @Test func whereOneFailsTheNextIsTried() async throws {
        try folder.script("paplay", "exit 1")
        try folder.script("aplay", "exit 0")
        #expect(await player(.auto).play() == .program("aplay", file: "plop.wav"))
        #expect(isModest(await player(.paplay).play()))
    }

    @Test func withoutPlayersNothingFails() async throws {
        for choice: PlayerChoice in [.auto, .aplay, .paplay, .bell] { #expect(isModest(await player(choice).play())) }
        #expect(await player(.none).play() == .silent)
    }

    @Test func aPlayerThatIsStuckIsKilledAtTheLimit() async throws {
        try folder.script("paplay", "echo $$ > \(folder.file("pid")); exec /bin/sleep 600")
        #expect(isModest(await player(.paplay, timeLimit: .seconds(4)).play()))
        try await expectGone()
    }

    @Test func cancellingEndsTheSound() async throws {
        try folder.script("paplay", "echo $$ > \(folder.file("pid")); exec /bin/sleep 600")
        let playing = Task { await player(.auto).play() }
        try await eventually("it plays") { try pid() > 0 }
        playing.cancel()
        #expect(await playing.value == .cancelled)
        try await expectGone()
    }

    @Test func soundsUnderWayArePlayedToTheirEnd() async throws {
        try folder.script("aplay", "exit 0")
        let played = Journey<PlayedSound>()
        let sounds = SoundsUnderWay(player(.aplay)) { played.add($0) }
        for _ in 1...5 { sounds.begin() }
        await sounds.finished()
        #expect(played.elements == Array(repeating: .program("aplay", file: "plop.wav"), count: 5))
    }

    private func pid() throws -> Int32 {
        let text = try String(contentsOfFile: folder.file("pid"), encoding: .utf8)
        return Int32(text.dropLast()) ?? 0
    }

    private func expectGone() async throws {
        let pid = try pid()
        try await eventually("process \(pid) is gone") { kill(pid, 0) == -1 }
    }
}
