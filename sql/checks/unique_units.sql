-- name: unique_units
-- level: fail
-- what: a unit_key stands more than once, so that citations and caches would take one unit for another
SELECT unit_key, min(node_id) AS first, max(node_id) AS last FROM units GROUP BY unit_key HAVING count(*) > 1
