-- name: embedding_norms
-- level: fail
-- what: a unit's vector is not of length 1
SELECT unit, round(norm, 4) AS norm FROM vectors WHERE norm IS NULL OR isnan(norm) OR abs(norm - 1) > 0.01
