-- name: most_filings_have_items
-- level: fail
-- what: of five or more reports from EDGAR a larger share has no items than publish.max_missing_share allows
WITH reports AS (
    SELECT d.doc_id, EXISTS (SELECT 1 FROM nodes n WHERE n.doc_id = d.doc_id AND n.kind = 'item') AS has_items
    FROM documents d WHERE d.source = 'edgar' AND d.kind = 'filing' AND d.form_base IN ('10-K', '10-Q', '20-F')
)
SELECT r.doc_id FROM reports r
WHERE NOT r.has_items
  AND (SELECT count(*) >= 5 AND avg(CASE WHEN has_items THEN 0 ELSE 1 END) > (SELECT max_missing_share FROM limits) FROM reports)
