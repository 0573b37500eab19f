-- name: expected_documents
-- level: warn
-- what: an interval of which more documents are missing than publish.max_missing_share allows
SELECT interval, expected, entered FROM intervals
WHERE expected - entered > expected * (SELECT max_missing_share FROM limits)
