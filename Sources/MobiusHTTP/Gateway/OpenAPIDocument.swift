#if HTTP
    /// The description of the gateway's routes, as an OpenAPI 3.1 document.
    package struct OpenAPIDocument {
        /// The version of Mobius Fleet.
        private let version: String
        /// Whether requests need a token.
        private let needsTokens: Bool
        /// The JSON Schema of the program's events, whose definitions contain `Model`; `nil` when unknown.
        package var program: String?

        package init(version: String, needsTokens: Bool) {
            self.version = version
            self.needsTokens = needsTokens
        }

        /// The schemas of events and models; the references in the program's schema are from the root of a document.
        private var programSchemas: String {
            guard let program else { return #""Event":true,"Model":true"# }
            let moved = program.replacing("#/$defs/", with: "#/components/schemas/Event/$defs/")
            return ##""Event":\##(moved),"Model":{"$ref":"#/components/schemas/Event/$defs/Model"}"##
        }

        /// The kinds of loops, of a coordinator of several programs.
        private var kinds: [String] {
            // Its schema ends with them, as names without anything that JSON escapes.
            guard let program, let start = program.ranges(of: "\"x-kinds\":[").last?.upperBound,
                let end = program[start...].firstIndex(of: "]")
            else { return [] }
            return program[start..<end].split(separator: ",").map { $0.filter { $0 != "\"" } }
        }

        /// Where events are sent to loops of one kind, which have a schema of their own: to one with a key, and to the one that is
        /// named as its kind.
        private var pathsOfKinds: String {
            kinds.map { kind in
                let schema = "Event/$defs/\(kind).Event"
                return ##"""
                    ,"/loops/\##(kind)%2F{key}/events":{"parameters":[{"name":"key","in":"path","required":true,
                    "schema":{"type":"string","minLength":1},"description":"The loop's name behind \##(kind)/."}],
                    "post":\##(Self.sendOperation("sendEventTo-\(kind)", schema))},
                    "/loops/\##(kind)/events":{"post":\##(Self.sendOperation("sendEventToOnly-\(kind)", schema))}
                    """##
            }.joined()
        }

        /// The document in JSON.
        package var json: String {
            """
            {"openapi":"3.1.0",\
            "info":{"title":"Mobius Fleet: loops over HTTP","version":"\(version)",\
            "description":"Send events to the loops of a coordinator, read and watch their models, read their histories.",\
            "license":{"name":"Apache-2.0","identifier":"Apache-2.0"}},\
            "servers":[{"url":"/"}],\
            "security":\(needsTokens ? #"[{"token":[]}]"# : "[]"),\
            "paths":{\(Self.paths)\(pathsOfKinds)},\
            "components":{\
            "securitySchemes":{"token":{"type":"http","scheme":"bearer","description":"A token of `mobius keys token`."}},\
            "parameters":{\(Self.parameters)},\
            "responses":{\(Self.responses)},\
            "schemas":{\(programSchemas),\(Self.schemas)}}}
            """
        }

        /// Reusable responses: a problem of each code, by status.
        private static var responses: String {
            let codes = Dictionary(grouping: Problem.Code.allCases, by: \.status).sorted { $0.key < $1.key }
            return codes.map { status, codes in
                let text = codes.map { "\($0.rawValue): \($0.title)" }.joined(separator: "; ")
                let headers =
                    status == 503
                    ? #""headers":{"Retry-After":{"schema":{"type":"integer"},"description":"Seconds."}},"# : ""
                return """
                    "Problem\(status)":{"description":"\(text).",\(headers)\
                    "content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}
                    """
            }.joined(separator: ",")
        }

        /// The responses of an operation that are problems.
        static func problems(_ statuses: Int...) -> String {
            ([400, 401, 403, 421, 501, 503] + statuses).sorted().map {
                ##""\##($0)":{"$ref":"#/components/responses/Problem\##($0)"}"##
            }.joined(separator: ",")
        }
    }
#endif
