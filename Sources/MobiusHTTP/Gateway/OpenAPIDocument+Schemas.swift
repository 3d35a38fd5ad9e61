#if HTTP
    extension OpenAPIDocument {
        /// Parameters of several operations.
        static let parameters = ##"""
            "loop":{"name":"id","in":"path","required":true,"schema":{"type":"string","minLength":1,"maxLength":128},
            "description":"The name of the loop, 1 to 128 bytes of UTF-8; a slash in it is written %2F.","example":"main"}
            """##

        /// The forms of bodies.
        static var schemas: String {
            let codes = Problem.Code.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
            let states = ["running", "idle", "held", "ended"].map { "\"\($0)\"" }.joined(separator: ",")
            return ##"""
                "State":{"enum":[\##(states)]},
                "Sent":{"type":"object","required":["loop","key","repeated"],"properties":{
                "loop":{"type":"string"},"key":{"type":"string"},
                "repeated":{"type":"boolean","description":"Whether an event with this key was applied before, so that this request changed nothing."},
                "number":{"type":"integer","description":"The event's number in its loop; absent when it is not known any more."},
                "answer":{"description":"The program's answer to the event, if it gave one; a repetition of the key gets the same."}}},
                "Loop":{"type":"object","required":["loop","lastSequence","pendingEffects","state"],"properties":{
                "loop":{"type":"string"},
                "lastSequence":{"type":"integer","description":"The number of its last event, or of the last one before the event that holds it; its start is 0."},
                "pendingEffects":{"type":"integer"},
                "state":{"type":"string","description":"One of State; more may be added."},
                "lastEvent":{"type":"string","format":"date-time","description":"When its last event was applied, if that is known."}}},
                "Loops":{"type":"object","required":["loops"],"properties":{
                "loops":{"type":"array","items":{"$ref":"#/components/schemas/Loop"}},
                "next":{"type":"string","description":"The `after` of the next page; absent after the last."}}},
                "History":{"type":"object","required":["entries"],"properties":{
                "entries":{"type":"array","items":{"$ref":"#/components/schemas/Entry"}},
                "first":{"type":"integer","description":"The first event that is kept."},
                "next":{"type":"string","description":"The `after` of the next page; absent after the last."}}},
                "Entry":{"type":"object","required":["kind","loop","sequence"],"properties":{
                "kind":{"enum":["event","note"]},"loop":{"type":"string"},"sequence":{"type":"integer"},"part":{"type":"integer"},
                "source":{"type":"string"},"note":{"type":"string"},"time":{"type":"string","format":"date-time"},
                "key":{"type":"string"},"effect":{"type":"string"},"event":true,
                "effects":{"type":"array","items":{"type":"object"}}}},
                "Problem":{"type":"object","required":["type","title","status","detail","code"],"properties":{
                "type":{"type":"string","format":"uri"},"title":{"type":"string"},"status":{"type":"integer"},
                "detail":{"type":"string"},"code":{"enum":[\##(codes)]},
                "number":{"type":"integer","description":"With refused: the number of the event, if it is on disk."}}}
                """##
        }
    }
#endif
