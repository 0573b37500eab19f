-- name: unique_documents
-- level: fail
-- takedown: fail
-- what: a document stands in the publication more than once, in one segment or in two
SELECT doc_id, count(*) AS times FROM live GROUP BY doc_id HAVING count(*) > 1
UNION
SELECT doc_id, count(*) AS times FROM documents GROUP BY doc_id HAVING count(*) > 1
