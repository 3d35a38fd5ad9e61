#if HTTP
    import MobiusClient
    import MobiusCodec
    package import MobiusWire

    /// The loops of an export, which never change.
    package struct ExportedLoops: LoopService {
        /// The most entries in a page of a history, and the bytes of lines after which it ends.
        private static let historyPage = (entries: 256, bytes: 4 << 20)

        private let file: ExportFile

        /// Serves this file to processes of this machine.
        package init(_ file: ExportFile) {
            self.file = file
        }

        package var access: LoopAccess { .thisMachine(isUnmasked: false) }

        package var exported: WallTime? { file.head.time }

        /// Its probes: it is always ready.
        package var probes: ServerProbes {
            ServerProbes(unreadiness: { nil }, status: { [status = file.status] in status })
        }

        package func ask(
            _ request: ClientRequest, as caller: LoopCaller, traceparent: String
        ) async throws(Problem) -> ClientAnswer {
            switch request {
            case .status: return file.status.map { .status($0) } ?? .notFound
            case .schema: return file.schema.map { .schema($0.bytes) } ?? .refused(Self.unsupported("types"))
            case .rights: return .rights(CallerRights(name: nil, rights: ["read", "models"], maximumPayload: 0))
            case .loops(let prefix, let state, let after, let limit):
                let page = page(prefix, state, after: after, limit)
                return .loops(page.loops.map(Self.withoutFacts), next: page.next)
            case .find(let listing):
                guard listing.condition == nil, listing.sort == nil else {
                    return .refused(Self.unsupported("order by facts: leave out the condition and the sort"))
                }
                let page = page(listing.prefix, listing.state, after: listing.after?.loop, listing.limit)
                return .found(
                    FoundLoops(
                        loops: page.loops, places: page.loops.map { FactPlace(key: [], loop: $0.loop) },
                        next: page.next.map { FactPlace(key: [], loop: $0) }, isComplete: true))
            case .model(let name, let sequence): return loop(name).map { model(of: $0, at: sequence) } ?? .notFound
            case .watch(let name, let seen): return try await watch(name, seen)
            case .history(let request):
                return loop(request.loop).map { .history(history(of: $0, request)) } ?? .notFound
            case .why(let name):
                guard let loop = loop(name) else { return .notFound }
                return .waits(
                    loop.waits ?? LoopWaits(loop: name, sentence: "The export does not say what it waited for."))
            case .effects(let name, let pool, let after, let limit):
                let effects = loops(name).flatMap(\.effects).filter { pool == nil || $0.pool == pool }
                let page = Self.page(effects, behind: after, limit) { $0.id }
                return .effects(page.elements, more: page.more)
            case .letters(let name, let prefix, let after, let limit):
                let letters = loops(name).filter { $0.summary.loop.name.utf8.starts(with: prefix.utf8) }.flatMap(
                    \.letters)
                let page = Self.page(letters, behind: after, limit) { $0.id }
                return .letters(page.elements, more: page.more)
            case .quarantine: return .quarantine([], more: false)
            case .effect, .letter, .quarantined: return .notFound
            case .send, .retry, .drop, .act, .end, .pausePool, .resumePool, .release, .check, .unwatch:
                return .refused(Self.unsupported("coordinator that could do this"))
            }
        }

        private static func unsupported(_ what: String) -> ClientRefusal {
            ClientRefusal(.unsupported, "This is an export: it has no \(what).")
        }

        private func loop(_ name: LoopID) -> ExportFile.Loop? { loops(name).first }

        /// The loop of this name; all of them without a name.
        private func loops(_ name: LoopID?) -> [ExportFile.Loop] {
            name.map { name in file.loops.filter { $0.summary.loop == name } } ?? file.loops
        }

        private func page(
            _ prefix: String, _ state: LoopSummary.State?, after: LoopID?, _ limit: UInt32
        ) -> (loops: [LoopSummary], next: LoopID?) {
            let found = file.loops.map(\.summary).filter { loop in
                loop.loop.name.utf8.starts(with: prefix.utf8) && (state.map { $0 == loop.state } ?? true)
                    && (after.map { $0.precedes(loop.loop) } ?? true)
            }
            let page = Array(found.prefix(Self.most(limit)))
            return (page, page.count < found.count ? page.last?.loop : nil)
        }

        /// As a list shows a loop that is not asked for by its facts.
        private static func withoutFacts(_ loop: LoopSummary) -> LoopSummary {
            var loop = loop
            loop.facts = nil
            return loop
        }

        private static func most(_ limit: UInt32) -> Int {
            limit == 0 ? Int(ClientRequest.maximumPage) : Int(min(limit, ClientRequest.maximumPage))
        }

        /// The elements behind the one with an id, in the order of the file.
        private static func page<Element>(
            _ elements: [Element], behind after: EffectID?, _ limit: UInt32, id: (Element) -> EffectID
        ) -> (elements: [Element], more: Bool) {
            let start = after.flatMap { after in elements.firstIndex { id($0) == after } }.map { $0 + 1 } ?? 0
            let page = elements[start...].prefix(most(limit))
            return (Array(page), page.endIndex < elements.endIndex)
        }

        private func model(of loop: ExportFile.Loop, at sequence: UInt64?) -> ClientAnswer {
            let name = loop.summary.loop
            guard let wanted = sequence ?? lastSequence(of: loop),
                let place = place(of: HistoryPlace(sequence: wanted), in: loop),
                loop.entries[place].place.sequence == wanted,
                let entry = file.entry(loop.entries[place].bytes), let after = entry.after
            else {
                return .refused(
                    ClientRefusal(.unknownEvent, "The export has no model of \(name) after event \(sequence ?? 0)."))
            }
            guard let model = after.model else { return .refused(ClientRefusal(.unknownEvent, after.reason)) }
            var summary = ModelSummary(
                loop: name, version: version(wanted), build: entry.build, isMasked: file.head.isMasked)
            summary.isHeld = sequence == nil && loop.summary.state == .held
            return .model(summary, model: model)
        }

        private func version(_ sequence: UInt64) -> ModelVersion {
            ModelVersion(journal: file.head.journal, sequence: sequence)
        }

        private func lastSequence(of loop: ExportFile.Loop) -> UInt64? { loop.entries.last?.place.sequence }

        /// The first entry at or behind a place.
        private func place(of first: HistoryPlace, in loop: ExportFile.Loop) -> Int? {
            var (low, high) = (0, loop.entries.count)
            while low < high {
                let middle = low + (high - low) / 2
                if loop.entries[middle].place < first { low = middle + 1 } else { high = middle }
            }
            return low < loop.entries.count ? low : nil
        }

        private func watch(_ name: LoopID, _ seen: ModelVersion?) async throws(Problem) -> ClientAnswer {
            guard let loop = loop(name) else { return .notFound }
            guard let seen, let last = lastSequence(of: loop), seen == version(last) else {
                return model(of: loop, at: nil)
            }
            do {
                try await Task.sleep(for: .seconds(30))
            } catch {
                throw .cancelled
            }
            return .unchanged
        }

        private func history(of loop: ExportFile.Loop, _ request: HistoryRequest) -> HistoryPage {
            let kept = loop.entries.first?.place.sequence
            let first = HistoryPlace(sequence: request.first ?? 0)
            let limit =
                request.limit == 0 ? Self.historyPage.entries : min(Self.historyPage.entries, Int(request.limit))
            var page = HistoryPage([], first: kept, more: false)
            guard var place = place(of: max(first, request.after ?? first), in: loop) else { return page }
            if let after = request.after, loop.entries[place].place == after { place += 1 }
            var bytes = 0
            for (found, range) in loop.entries[place...] {
                guard found.sequence <= request.last ?? .max else { break }
                guard page.entries.count < limit, bytes < Self.historyPage.bytes else {
                    page.more = true
                    break
                }
                guard var entry = file.entry(range) else { continue }
                if !request.models { entry.after = nil }
                bytes += range.count
                page.entries.append(entry)
            }
            return page
        }
    }
#endif
