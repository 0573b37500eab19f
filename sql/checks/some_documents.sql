-- name: some_documents
-- level: fail
-- what: the publication is empty
SELECT 'no documents' AS problem WHERE (SELECT count(*) FROM live) = 0
