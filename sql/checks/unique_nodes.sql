-- name: unique_nodes
-- level: fail
-- what: a node_id stands more than once
SELECT node_id, count(*) AS times FROM nodes GROUP BY node_id HAVING count(*) > 1
