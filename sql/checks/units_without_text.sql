-- name: units_without_text
-- level: warn
-- what: a unit without text or without its place in the document, which could be found and not be cited
SELECT node_id FROM units WHERE text IS NULL OR trim(text) = '' OR (char_start IS NOT NULL AND char_end < char_start)
