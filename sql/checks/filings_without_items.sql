-- name: filings_without_items
-- level: warn
-- what: an annual or quarterly report in which no item was found
SELECT d.doc_id, d.form FROM documents d
WHERE d.kind = 'filing' AND d.form_base IN ('10-K', '10-Q', '20-F')
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.doc_id = d.doc_id AND n.kind = 'item')
