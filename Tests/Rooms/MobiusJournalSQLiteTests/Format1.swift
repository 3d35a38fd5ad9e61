/// A journal as the last program wrote it that knew format 1, as SQL: a session of build 1.0 and one of build 1.1, two loops,
/// both snapshots, and every sort of record that there was.
enum Format1 {
    /// Makes the tables and fills them, in an empty database.
    static let sql = """
        CREATE TABLE journal ( id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, application TEXT NOT NULL,
            created_by TEXT NOT NULL);
        CREATE TABLE epochs ( epoch INTEGER PRIMARY KEY, build TEXT NOT NULL, first_position INTEGER NOT NULL);
        CREATE TABLE loops ( id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL);
        CREATE TABLE kinds ( id INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL, content_type TEXT NOT
            NULL, checksum INTEGER NOT NULL, UNIQUE (type, version, content_type));
        CREATE TABLE records ( position INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part
            INTEGER NOT NULL, source INTEGER NOT NULL, effect_sequence INTEGER NOT NULL, effect_index INTEGER NOT NULL,
            epoch INTEGER NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL, ends INTEGER NOT NULL, kind
            INTEGER NOT NULL, key TEXT, event BLOB, effects BLOB, checksum INTEGER NOT NULL);
        CREATE UNIQUE INDEX records_order ON records (loop, sequence, part);
        CREATE UNIQUE INDEX records_outside ON records (loop, key) WHERE key IS NOT NULL;
        CREATE TABLE snapshots ( id INTEGER PRIMARY KEY, loop INTEGER NOT NULL, sequence INTEGER NOT NULL, part INTEGER
            NOT NULL, kind INTEGER NOT NULL, model BLOB NOT NULL, hash INTEGER NOT NULL, pending BLOB NOT NULL, checksum
            INTEGER NOT NULL);
        CREATE INDEX snapshots_order ON snapshots (loop, sequence, part);
        INSERT INTO journal VALUES (1, '709869a6e4b36556bd9d4061a2fcf420', 'torture', '1.0');
        INSERT INTO epochs VALUES (1, '1.0', 1);
        INSERT INTO epochs VALUES (2, '1.1', 7);
        INSERT INTO loops VALUES (1, 'main', 5817036121090205335);
        INSERT INTO loops VALUES (2, CAST(x'7365636f6e64206c6f6f7020f09f8d8f' AS TEXT), -820344125080760377);
        INSERT INTO kinds VALUES (1, 'Text', 1, 'application/json', -3072193971030299074);
        INSERT INTO kinds VALUES (2, CAST(x'427974657300776974682061207a65726f' AS TEXT), 65535,
            'application/octet-stream', 1034059401275900955);
        INSERT INTO records VALUES (1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL,
            x'030107666574636820610200010766657463682062', 6342892885252827949);
        INSERT INTO records VALUES (2, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, NULL, x'68616c66206f662061', NULL,
            5937419942806018793);
        INSERT INTO records VALUES (3, 1, 2, 0, 1, 0, 0, 1, 1, 2, 1, 2, NULL, x'616c6c206f662061',
            x'01010773746f72652061', -6512760579165495246);
        INSERT INTO records VALUES (4, 1, 2, 1, 4, 2, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, -429800359258941958);
        INSERT INTO records VALUES (5, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, x'0101056772656574',
            4314194697925905701);
        INSERT INTO records VALUES (6, 1, 3, 0, 3, 0, 0, 0, 0, 0, 0, 1, CAST(x'6b657900206f6620f09f8d8f' AS TEXT),
            x'66726f6d206f757473696465', NULL, -8360876417174396979);
        INSERT INTO records VALUES (7, 1, 4, 0, 2, 0, 1, 0, 0, 0, 1, 1, NULL, x'6661696c6564', NULL,
            1402154511445109310);
        INSERT INTO records VALUES (8, 1, 5, 0, 1, 0, 2, 2, 7, 3, 0, 1, NULL, x'61207468697264206f662062', NULL,
            -2894402751206874943);
        INSERT INTO records VALUES (9, 1, 6, 0, 3, 0, 0, 0, 0, 0, 0, 1, 'second key',
            x'6d6f72652066726f6d206f757473696465', x'010105676f206f6e', -6238874949192963795);
        INSERT INTO records VALUES (10, 2, 1, 0, 3, 0, 0, 0, 0, 0, 0, 1, 'second key', x'68656c6c6f', NULL,
            3377468157277806806);
        INSERT INTO records VALUES (11, 1, 7, 0, 3, 0, 0, 0, 0, 0, 0, 1, 'third key', x'6c617374', NULL,
            -3334321888621518865);
        INSERT INTO records VALUES (12, 1, 7, 1, 4, 6, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, -5201137429693949222);
        INSERT INTO snapshots VALUES (1, 1, 3, 0, 1, x'6d6f64656c2061742033', 6516848245116755654,
            x'020001000200000200010766657463682062', 1625904874401524629);
        INSERT INTO snapshots VALUES (2, 1, 6, 0, 1, x'6d6f64656c2061742036', 6516853742674896709,
            x'0200020302070107666574636820620600000105676f206f6e', -5663276008464961515);
        PRAGMA application_id = 1299145286;
        PRAGMA user_version = 1;
        """
}
