-- All records of the library, replacing existing ones.
PRAGMA foreign_keys = off;
BEGIN;
DELETE FROM country;
DELETE FROM author;
DELETE FROM book;
DELETE FROM review;
DELETE FROM painting;
DELETE FROM tag;
DELETE FROM bookTag;
DELETE FROM employee;
DELETE FROM word;
DELETE FROM profile;
DELETE FROM "Order Details";
DELETE FROM sample;
DELETE FROM later;
DELETE FROM note;
DELETE FROM ink;
DELETE FROM link;
INSERT INTO ink VALUES (1, 'red'), (2, 'blue');
INSERT INTO link VALUES (1, 'first'), (2, 'next');
INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States'), ('', '');
INSERT INTO author VALUES
  (1, 'Melville', 'US', 3, 1819, 1891, 'h@example.org'), (2, 'Zola', 'FR', NULL, 1840, 1902, NULL),
  (3, 'Hawthorne', 'US', 1, 1804, 1864, NULL), (4, 'Anonymous', NULL, NULL, NULL, NULL, NULL),
  (-9223372036854775808, '', '', 4, 9223372036854775807, -1, x'00FF');
INSERT INTO book VALUES
  (1, 1, 2, 'Moby-Dick', 'novel', 1851, 12.25, 1, '{"a":[1,null]}', x'00010203'),
  (2, 1, NULL, 'Omoo', 'novel', 1847, 8.5, 0, 'no json', NULL), (3, 1, 1, 'Timoleon', 'poem', 1891, NULL, NULL, NULL, x''),
  (4, 2, 3, 'Germinal', 'novel', 1885, 9e999, 2, '[]', 'text'), (5, NULL, NULL, 'Beowulf', NULL, NULL, -9e999, 'x', 12, 1.5),
  (6, 2, NULL, CAST(x'C328FF' AS TEXT), 'novel', '1903', 1e-300, 1, '"\ud800"', NULL),
  (9223372036854775807, 4, 4, 'a' || char(0, 8232, 128512) || '"\</script>,=;', '', -0.0, 0.1, 0, 'null', zeroblob(9));
INSERT INTO review VALUES (1, 1, 5, 'good'), (2, 1, 4, NULL), (3, 4, NULL, ''), (4, 6, 3, 'line' || char(13, 10) || 'line');
INSERT INTO painting VALUES (1, 1, 'Sea', 1850), (2, 1, NULL, 'late'), (3, 2, 'Mine', x'00'), (4, NULL, 'Ship', 1.5);
INSERT INTO tag VALUES (1, 'sea'), (2, 'work'), (3, 'unused');
INSERT INTO bookTag VALUES (1, 1, 2), (1, 2, 1), (2, 1, 1), (4, 2, NULL);
INSERT INTO employee VALUES (1, 'Ada', NULL), (2, 'Bo', 1), (3, 'Cy', 1), (4, 'Di', 2), (5, 'Ed', 5);
INSERT INTO word VALUES (1, 'a', 2), (2, 'b', 3), (3, 'c', 1), (4, 'd', NULL);
INSERT INTO profile VALUES (1, 1, 0.5), (2, 2, NULL), (3, NULL, 1e308);
INSERT INTO "Order Details" VALUES (1, 'a', 'b', 'c'), (NULL, NULL, NULL, NULL), ('12.50', 'a', 'b', 'c');
INSERT INTO sample (id, text, whole, flag, meta, data) VALUES (1, 'a', 1, 1, '{}', x'01');
INSERT INTO later VALUES (1, 1);
INSERT INTO bookText (bookText) VALUES ('rebuild');
INSERT INTO note VALUES ('the white whale', 'sea'), ('coal', 'work');
COMMIT;
PRAGMA foreign_keys = on;
