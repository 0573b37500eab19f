-- name: most_filings_have_items
-- level: fail
-- what: of five or more reports from EDGAR a larger share has no items than publish.max_missing_share allows
WITH reports AS (SELECT doc_id, items FROM live WHERE source = 'edgar' AND kind = 'filing' AND form_base IN ('10-K', '10-Q', '20-F'))
SELECT doc_id FROM reports
WHERE items = 0
  AND (SELECT count(*) >= 5 AND avg(CASE WHEN items > 0 THEN 0 ELSE 1 END) > (SELECT max_missing_share FROM limits) FROM reports)
