-- name: forms_lost
-- level: fail
-- what: of a form and year of the publication before no document is left, or all of five and more stand elsewhere now (publish.max_lost_share = 1 allows it)
WITH was AS (
    SELECT b.form_base, b.fiscal_year, count(*) AS documents, count(n.doc_id) AS elsewhere
    FROM before b LEFT JOIN live n ON n.doc_id = b.doc_id
    WHERE b.nodes > 0  -- 0: of before summaries were kept
    GROUP BY ALL
)
SELECT coalesce(form_base, '(none)') AS form, fiscal_year, documents AS before, elsewhere
FROM was
WHERE NOT EXISTS (
        SELECT 1 FROM live l WHERE l.form_base IS NOT DISTINCT FROM was.form_base AND l.fiscal_year IS NOT DISTINCT FROM was.fiscal_year
    )
  AND (elsewhere < documents OR (documents >= 5 AND form_base IS NOT NULL AND fiscal_year IS NOT NULL))  -- one may be corrected, not all
  AND (SELECT max_lost_share FROM limits) < 1
