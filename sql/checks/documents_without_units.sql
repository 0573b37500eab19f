-- name: documents_without_units
-- level: warn
-- what: a document in which nothing can be found, since it has no units
SELECT d.doc_id FROM documents d WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.doc_id = d.doc_id)
