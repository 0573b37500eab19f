-- name: units_lost
-- level: fail
-- what: of a form and year, documents that both publications have lost a larger share of their units than publish.max_lost_share allows
SELECT coalesce(form_base, '(none)') AS form, fiscal_year, sum(was) AS before, sum(now) AS now
FROM (SELECT n.form_base, n.fiscal_year, b.units AS was, n.units AS now FROM live n JOIN before b USING (doc_id))
GROUP BY form_base, fiscal_year
HAVING count(*) >= 5 AND sum(now) < sum(was) * (1 - (SELECT max_lost_share FROM limits))
