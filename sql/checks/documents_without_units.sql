-- name: documents_without_units
-- level: warn
-- what: a document in which nothing can be found, since it has no units
SELECT doc_id FROM live WHERE units = 0
