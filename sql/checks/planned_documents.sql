-- name: planned_documents
-- level: fail
-- takedown: fail
-- what: a document that the receipts name is missing, or one is there that they do not name
SELECT coalesce(p.doc_id, d.doc_id) AS doc_id, p.doc_version AS planned, d.doc_version AS found
FROM planned p FULL JOIN documents d ON p.doc_id = d.doc_id AND p.doc_version = d.doc_version
WHERE p.doc_id IS NULL OR d.doc_id IS NULL
