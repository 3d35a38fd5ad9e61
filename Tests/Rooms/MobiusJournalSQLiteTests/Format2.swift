/// A journal as the last program wrote it that knew format 2, as SQL: a session of build 2.0 and one of build 2.1, two loops,
/// both snapshots, and every sort of record and table that there was.
enum Format2 {
    /// Makes the tables and fills them, in an empty database.
    static let sql = """
        CREATE TABLE journal ( id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, application TEXT NOT
            NULL, created_by TEXT NOT NULL);
        CREATE TABLE epochs ( epoch INTEGER PRIMARY KEY, build TEXT NOT NULL, first_position INTEGER NOT NULL);
        CREATE TABLE loops ( id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL DEFAULT 0, first_part INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE kinds ( id INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL, content_type TEXT
            NOT NULL, checksum INTEGER NOT NULL, UNIQUE (type, version, content_type));
        CREATE TABLE records ( position INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part
            INTEGER NOT NULL, source INTEGER NOT NULL, effect_sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL,
            epoch INTEGER NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL, ends INTEGER NOT NULL, kind
            INTEGER NOT NULL, key TEXT, event BLOB, effects BLOB, checksum INTEGER NOT NULL, time INTEGER NOT NULL
            DEFAULT 0);
        CREATE UNIQUE INDEX records_order ON records (loop, sequence, part);
        CREATE TABLE snapshots ( id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part
            INTEGER NOT NULL, kind INTEGER NOT NULL, model BLOB NOT NULL, hash INTEGER NOT NULL, pending BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX snapshots_order ON snapshots (loop, sequence, part);
        CREATE TABLE outside_keys ( loop INTEGER NOT NULL, key TEXT NOT NULL, sequence INTEGER NOT NULL, checksum
            INTEGER NOT NULL, PRIMARY KEY (loop, key)) WITHOUT ROWID;
        CREATE TABLE dead_letters ( id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL,
            effect_index INTEGER NOT NULL, failures INTEGER NOT NULL, round INTEGER NOT NULL, time INTEGER NOT NULL,
            kind INTEGER NOT NULL, effect BLOB NOT NULL, reason TEXT NOT NULL, checksum INTEGER NOT NULL);
        CREATE UNIQUE INDEX dead_letters_order ON dead_letters (loop, sequence, effect_index);
        CREATE INDEX dead_letters_age ON dead_letters (loop);
        CREATE TABLE crashes ( id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, source BLOB NOT NULL, flags INTEGER
            NOT NULL, replayed INTEGER NOT NULL, kind INTEGER NOT NULL, event BLOB NOT NULL, count INTEGER NOT NULL,
            epoch INTEGER NOT NULL, time INTEGER NOT NULL, build TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (loop,
            source));
        CREATE TABLE skipped ( loop INTEGER NOT NULL, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY
            KEY (loop, sequence)) WITHOUT ROWID;
        CREATE TABLE revived_letters ( id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL,
            effect_index INTEGER NOT NULL);
        CREATE UNIQUE INDEX revived_letters_order ON revived_letters (loop, sequence, effect_index);
        INSERT INTO journal VALUES (1, '0cffe0835da54d5f0f26135c4f599a0e', 'torture', '2.0');
        INSERT INTO epochs VALUES (1, '2.0', 1);
        INSERT INTO epochs VALUES (2, '2.1', 11);
        INSERT INTO loops VALUES (1, 'main', 5817036121090205335, 0, 0);
        INSERT INTO loops VALUES (2, CAST(x'7365636f6e64206c6f6f7020f09f8d8f' AS TEXT), -820344125080760377, 0, 0);
        INSERT INTO kinds VALUES (1, 'Text', 1, 'application/json', -3072193971030299074);
        INSERT INTO kinds VALUES (2, CAST(x'427974657300776974682061207a65726f' AS TEXT), 65535,
            'application/octet-stream', 1034059401275900955);
        INSERT INTO records VALUES (1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL,
            x'03010766657463682061010477616974020300010201e0acc5a28c34', 6591708861543269646, 1790000000000);
        INSERT INTO records VALUES (2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, x'0101056772656574',
            4314194697925905701, 0);
        INSERT INTO records VALUES (3, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, NULL, x'68616c66206f662061', NULL,
            6642537834599115263, 1790000000001);
        INSERT INTO records VALUES (4, 1, 1, 1, 5, 0, 2, 1, 2, 0, 0, 0, NULL, NULL, NULL, 4653451219169113502, 0);
        INSERT INTO records VALUES (5, 1, 1, 2, 6, 0, 2, 0, 0, 2, 0, 0, NULL, NULL, NULL, -6400723132981667026, 0);
        INSERT INTO records VALUES (6, 1, 1, 3, 7, 0, 2, 0, 0, 3, 0, 2, CAST(x'69742062726f6b6520f09f8d8f' AS TEXT),
            x'000102', NULL, 5709413840061622743, 1790000060000);
        INSERT INTO records VALUES (7, 1, 1, 4, 4, 0, 2, 0, 0, 0, 0, 0, NULL, NULL, NULL, 2115124001722200932, 0);
        INSERT INTO records VALUES (8, 1, 2, 0, 2, 0, 2, 0, 0, 0, 0, 1, NULL, x'6661696c6564', NULL,
            9149085595913698016, 1790000000002);
        INSERT INTO records VALUES (9, 1, 2, 1, 8, 0, 2, 0, 0, 1, 0, 2, NULL, x'09', NULL, -4850033879101769254,
            1790000060000);
        INSERT INTO records VALUES (10, 1, 3, 0, 10, 0, 1, 1790000060000, 0, 0, 1, 1, NULL, x'74696d65206973207570',
            NULL, 2560470724541007452, 1790000000003);
        INSERT INTO records VALUES (11, 1, 3, 1, 7, 0, 2, 0, 1, 3, 0, 2, 'again', x'09', NULL, 500099403905578237,
            1790000060000);
        INSERT INTO records VALUES (12, 1, 3, 2, 4, 0, 2, 0, 0, 0, 0, 0, NULL, NULL, NULL, 8663895409602007375, 0);
        INSERT INTO records VALUES (13, 1, 3, 3, 9, 0, 2, 0, 0, 0, 0, 0, NULL, NULL, NULL, 4071136752376880682, 0);
        INSERT INTO records VALUES (14, 1, 4, 0, 3, 0, 0, 0, 0, 0, 0, 1, CAST(x'6b657900206f6620f09f8d8f' AS TEXT),
            x'66726f6d206f757473696465', x'010105676f206f6e', -5532283928199257451, 1790000000004);
        INSERT INTO records VALUES (15, 2, 1, 0, 3, 0, 0, 0, 0, 0, 0, 1, 'k', x'68656c6c6f', NULL,
            -2245713922048691944, 0);
        INSERT INTO records VALUES (16, 1, 5, 0, 3, 0, 0, 0, 0, 0, 0, 1, 'poison', x'706f69736f6e', NULL,
            -4816512686221585699, 1790000000005);
        INSERT INTO snapshots VALUES (1, 1, 1, 4, 1, x'6d6f64656c2061742031', 6516846046093499232,
            x'0100000000010766657463682061', -6286437335587444046);
        INSERT INTO snapshots VALUES (2, 1, 4, 0, 1, x'6d6f64656c2061742034', 6516851543651640287,
            x'0200000000010766657463682061040000000105676f206f6e', -1657407986516862042);
        INSERT INTO outside_keys VALUES (1, CAST(x'6b657900206f6620f09f8d8f' AS TEXT), 4, -2676667027429279466);
        INSERT INTO outside_keys VALUES (1, 'poison', 5, 1152527506294671645);
        INSERT INTO outside_keys VALUES (2, 'k', 1, 3708743841038254213);
        INSERT INTO crashes VALUES (1, 2, x'03626164', 1, 0, 1, x'626164', 1, 2, 1790000060000, '2.1',
            -2106634563768991104);
        INSERT INTO skipped VALUES (1, 5, 1392425431463390300);
        PRAGMA application_id = 0x4d6f6246;
        PRAGMA user_version = 2;
        """
}
