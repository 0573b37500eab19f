-- name: facts_at_home
-- level: warn
-- what: a fact is mentioned in a node that is not there
SELECT m.fact_id, m.node_id FROM fact_mentions m LEFT JOIN nodes n ON n.node_id = m.node_id WHERE n.node_id IS NULL
