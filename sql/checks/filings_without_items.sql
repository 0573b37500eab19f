-- name: filings_without_items
-- level: warn
-- what: an annual or quarterly report in which no item was found
SELECT doc_id, form FROM live WHERE kind = 'filing' AND form_base IN ('10-K', '10-Q', '20-F') AND items = 0
