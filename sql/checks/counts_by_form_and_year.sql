-- name: counts_by_form_and_year
-- level: warn
-- what: of a form and year there are fewer documents than in the publication before
SELECT coalesce(b.form_base, '(none)') AS form, b.fiscal_year, b.documents AS before, coalesce(n.documents, 0) AS now
FROM (SELECT form_base, fiscal_year, count(*) AS documents FROM before WHERE nodes > 0 GROUP BY ALL) b  -- 0: of before summaries were kept
LEFT JOIN (SELECT form_base, fiscal_year, count(*) AS documents FROM live GROUP BY ALL) n
  ON n.form_base IS NOT DISTINCT FROM b.form_base AND n.fiscal_year IS NOT DISTINCT FROM b.fiscal_year
WHERE coalesce(n.documents, 0) < b.documents
