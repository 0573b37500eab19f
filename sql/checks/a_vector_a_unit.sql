-- name: a_vector_a_unit
-- level: fail
-- what: there are vectors, but not one for each unit
SELECT (SELECT count(*) FROM units) AS units, count(*) AS vectors FROM vectors HAVING count(*) > 0 AND count(*) <> (SELECT count(*) FROM units)
