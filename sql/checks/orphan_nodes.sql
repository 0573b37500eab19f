-- name: orphan_nodes
-- level: fail
-- what: a node's parent or document is not there
SELECT n.node_id, n.parent_id
FROM nodes n LEFT JOIN nodes p ON p.node_id = n.parent_id LEFT JOIN documents d ON d.doc_id = n.doc_id
WHERE (n.parent_id IS NOT NULL AND p.node_id IS NULL) OR d.doc_id IS NULL
