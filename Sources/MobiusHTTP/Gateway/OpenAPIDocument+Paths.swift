#if HTTP
    extension OpenAPIDocument {
        /// The operations, by path.
        static var paths: String {
            [send, loops, model, history, models, waits, status, effects, letters, session, description].joined(
                separator: ",")
        }

        static let loop = ##"{"$ref":"#/components/parameters/loop"}"##

        private static var send: String {
            ##"""
            "/loops/{id}/events":{"parameters":[\##(loop)],"post":\##(sendOperation("sendEvent", "Event"))}
            """##
        }

        /// The operation that sends an event which has this schema.
        static func sendOperation(_ name: String, _ schema: String) -> String {
            ##"""
            {"operationId":"\##(name)",
            "summary":"Apply an event to a loop; the answer comes after its commit.",
            "description":"The first event of a loop begins it. Needs the right send.",
            "parameters":[
            {"name":"Idempotency-Key","in":"header","schema":{"type":"string","minLength":1,"maxLength":255},
            "description":"Of all events of a loop with the same key only the first is applied. Without one a new key is made."},
            {"name":"Event-Type","in":"header","schema":{"type":"string","minLength":1,"maxLength":255},
            "description":"NAME or NAME; version=N, for an event in an older form. Without it the program's own events."},
            {"name":"traceparent","in":"header","schema":{"type":"string"},"description":"The W3C trace context of the event's effects."},
            {"name":"existing","in":"query","schema":{"type":"boolean","default":false},
            "description":"Do not begin a loop that does not exist: answer 404."}],
            "requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/\##(schema)"}}}},
            "responses":{"200":{"description":"The event is applied and on disk.",
            "headers":{"Idempotency-Key":{"schema":{"type":"string"},"description":"The event's key."}},
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Sent"}}}},
            \##(problems(404, 409, 410, 413, 415, 422, 507))}}
            """##
        }

        private static var loops: String {
            ##"""
            "/loops":{"get":{"operationId":"listLoops","summary":"List loops, by the bytes of their names, or by the facts that their program declares.",
            "description":"Needs the right read.","parameters":[
            {"name":"prefix","in":"query","schema":{"type":"string"},"description":"Only loops whose names begin so."},
            {"name":"state","in":"query","schema":{"$ref":"#/components/schemas/State"},"description":"Only loops in this state."},
            {"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":1000,"default":100},
            "description":"How many at most; a page may have fewer, and others follow while there is a next."},
            {"name":"after","in":"query","schema":{"type":"string","minLength":1},
            "description":"The next of the page before."},
            {"name":"where","in":"query","schema":{"type":"string"},
            "description":"Only loops whose facts fulfil this condition, such as stage = waiting and total > 100."},
            {"name":"sort","in":"query","schema":{"type":"string"},
            "description":"By the values of this fact, such as due, or -due for the largest first."},
            {"name":"facts","in":"query","schema":{"type":"boolean"},
            "description":"Loops with their facts, also without where and sort."}],
            "responses":{"200":{"description":"A page of loops; with where, sort or facts one of found loops.",\##(linkHeader),
            "content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/Loops"},
            {"$ref":"#/components/schemas/FoundLoops"}]}}}},
            \##(problems())}}}
            """##
        }

        static let linkHeader =
            #""headers":{"Link":{"schema":{"type":"string"},"description":"The next page, rel=next; none after the last."}}"#

        private static var model: String {
            ##"""
            "/loops/{id}":{"parameters":[\##(loop)],"get":{"operationId":"readModel",
            "summary":"Read the model of a loop.",
            "description":"It contains every event that was answered before the request. Needs the right models.",
            "parameters":[
            {"name":"at","in":"query","schema":{"type":"integer","minimum":0,"maximum":9223372036854775807},
            "description":"The model directly after this event; how far back that is possible depends on --keep-history."},
            {"name":"If-None-Match","in":"header","schema":{"type":"string"},"description":"The ETag of a known model."}],
            "responses":{"200":{"description":"The model.","headers":{
            "ETag":{"schema":{"type":"string"},"description":"Names this model."},
            "Event-Number":{"schema":{"type":"integer"},"description":"The number of the last event that is in the model."},
            "Loop-State":{"schema":{"type":"string"},"description":"held: the loop is in quarantine, and this is its last good model. Absent otherwise."}},
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Model"}}}},
            "304":{"description":"The model is the known one."},
            \##(problems(404, 406, 409, 410))}}}
            """##
        }

        private static var history: String {
            ##"""
            "/loops/{id}/history":{"parameters":[\##(loop)],"get":{"operationId":"readHistory",
            "summary":"Read what happened in a loop: events, what each asked for, and notes on effects.",
            "description":"How far back it goes depends on the coordinator's --keep-history. Needs the right models.","parameters":[
            {"name":"from","in":"query","schema":{"type":"integer","minimum":0,"maximum":9223372036854775807},"description":"The first event."},
            {"name":"to","in":"query","schema":{"type":"integer","minimum":0,"maximum":9223372036854775807},"description":"The last event."},
            {"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":256,"default":100},
            "description":"How many entries at most; a page may have fewer, and others follow while there is a next."},
            {"name":"after","in":"query","schema":{"type":"string","pattern":"^[0-9]{1,19}([.][0-9]{1,9})?$"},
            "description":"The next of the page before."}],
            "responses":{"200":{"description":"A page of the history.",\##(linkHeader),
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/History"}}}},
            \##(problems(404, 409, 410, 500))}}}
            """##
        }

        private static var models: String {
            ##"""
            "/loops/{id}/models":{"parameters":[\##(loop)],"get":{"operationId":"watchModels",
            "summary":"Watch the model of a loop, as server-sent events.",
            "description":"The current model first, unless Last-Event-ID names it, then each later one; a slow reader misses models in between, never the last. The data of an event is the model, its id names it and begins with the number of its last event. An event named problem ends the stream. Needs the right models.",
            "parameters":[{"name":"Last-Event-ID","in":"header","schema":{"type":"string"},"description":"The id of the last model that the client has."}],
            "responses":{"200":{"description":"The stream.","content":{"text/event-stream":{"schema":{"type":"string"}}}},
            "204":{"description":"The loop has ended, and Last-Event-ID names its last model: do not connect again."},
            \##(problems(404, 406, 409, 410))}}}
            """##
        }

        private static var description: String {
            ##"""
            "/openapi.json":{"get":{"operationId":"readDescription","summary":"Read this document.",
            "responses":{"200":{"description":"An OpenAPI 3.1 document.","content":{"application/json":{"schema":{"type":"object"}}}},
            \##(problems())}}}
            """##
        }
    }
#endif
