-- name: facts_agree
-- level: warn
-- what: the same fact is tagged in two places with values that differ by more than their rounding
SELECT doc_id, concept, any_value(period_end) AS period_end, min(value_double) AS lowest, max(value_double) AS highest
FROM facts
WHERE value_double IS NOT NULL AND NOT coalesce(is_nil, false)
GROUP BY doc_id, entity, concept, unit, period_start, period_end, dimensions
HAVING max(value_double) - min(value_double) > max(power(10, -coalesce(try_cast(decimals AS INTEGER), 6)))
