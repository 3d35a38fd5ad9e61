#if HTTP
    import MobiusCodec
    import MobiusWire

    extension OpenAPIDocument {
        /// Parameters of several operations.
        static let parameters = ##"""
            "loop":{"name":"id","in":"path","required":true,"schema":{"type":"string","minLength":1,"maxLength":128},
            "description":"The name of the loop, 1 to 128 bytes of UTF-8; a slash in it is written %2F.","example":"main"}
            """##

        /// The forms of bodies, as their types encode them.
        static let schemas: String = {
            let reader = SchemaReader()
            var roots: [Int: String] = [:]
            func name<Body: Codable>(_ type: Body.Type, _ name: String) {
                if case .type(let place) = reader.shape(of: type) { roots[place] = name }
            }
            name(SentBody.self, "Sent")
            name(LoopList.self, "Loops")
            name(FoundLoops.self, "FoundLoops")
            name(LoopSummary.self, "Loop")
            name(HistoryBody.self, "History")
            name(HistoryEntry.self, "Entry")
            name(HistoryEffect.self, "Effect")
            name(LoopWaits.self, "Waits")
            name(FleetStatus.self, "Status")
            name(EffectList.self, "Effects")
            name(LetterList.self, "Letters")
            name(EffectSummary.self, "PendingEffect")
            name(DeadLetterSummary.self, "Letter")
            name(CallerRights.self, "Rights")
            name(ProblemBody.self, "Problem")
            let schema = JSONSchema(reader.definitions, roots: roots, at: "#/components/schemas/")
            let states = JSONTree.array(LoopSummary.State.known.map { .text($0.rawValue) })
            let all = schema.defined().map { JSONTree.Member($0.name, described($0)) }
            let state = JSONTree.Member("State", .members(["enum": states]))
            // Without the braces, because the program's own stand beside them.
            return String(JSONTree.object([state] + all).text.dropFirst().dropLast())
        }()

        private static func described(_ type: JSONTree.Member) -> JSONTree {
            guard case .object(let members) = type.value else { return type.value }
            return .object(
                members.map { member in
                    guard member.name == "properties", case .object(let properties) = member.value else {
                        return member
                    }
                    let described = properties.map { property in
                        guard "\(type.name).\(property.name)" != "Loop.facts" else {
                            return JSONTree.Member("facts", facts)
                        }
                        let more = descriptions["\(type.name).\(property.name)"]
                        return more.map { .init(property.name, property.value.adding("description", .text($0))) }
                            ?? property
                    }
                    return .init("properties", .object(described))
                })
        }

        /// Any names, with values that are read as the first sort that fits.
        private static let facts = JSONTree.members([
            "type": .text("object"),
            "additionalProperties": .members(["type": .array(["boolean", "number", "string"].map { .text($0) })]),
            "description": .text("Of found loops: the values by the names of facts; a time is a text (RFC 3339)."),
        ])

        /// What the names of fields do not say.
        private static let descriptions = [
            "Sent.repeated": "Whether an event with this key was applied before, so that this request changed nothing.",
            "Sent.number": "The event's number in its loop; absent when it is not known any more.",
            "Sent.answer": "The program's answer to the event, if it gave one; a repetition of the key gets the same.",
            "Sent.answerBase64": "The answer's bytes, if its coding has no JSON form.",
            "Loop.lastSequence":
                "The number of its last event, or of the last one before the event that holds it; its start is 0.",
            "Loop.state": "One of State; more may be added.",
            "Loop.lastEvent": "When its last event was applied (RFC 3339), if that is known.",
            "FoundLoops.next":
                "The `after` of the next page; absent after the last. A page may be short, or empty, and not be the last.",
            "FoundLoops.places": "The place of each loop in this order.",
            "FoundLoops.isComplete":
                "Whether the facts of all loops are those of this build of the program; others are computed anew.",
            "Loops.next": "The `after` of the next page; absent after the last.",
            "History.first": "The first event that is kept.",
            "History.next": "The `after` of the next page; absent after the last.",
            "Entry.kind": "`event` or `note`.",
            "Entry.part": "Notes count from 1 after the event that they follow; absent for the event.",
            "Entry.source": "Of an event: where it came from; more may be added.",
            "Entry.note": "What the note says; more may be added.",
            "Entry.time": "When (RFC 3339); absent for notes without a time.",
            "Entry.event": "The event, unless it is large or has no JSON form.",
            "Waits.sentence": "The reason why the loop itself waits.",
            "Waits.waits": "Its pending effects in the order in which they were asked for, at most 1,000.",
            "Rights.name": "Of the token; absent without keys, when all callers have all rights.",
            "Problem.code": "More may be added.",
            "Problem.number": "With refused: the number of the event, if it is on disk.",
        ]
    }
#endif
