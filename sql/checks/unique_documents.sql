-- name: unique_documents
-- level: fail
-- what: a document stands in the publication more than once
SELECT doc_id, count(*) AS times FROM documents GROUP BY doc_id HAVING count(*) > 1
