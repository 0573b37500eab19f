-- name: ids_of_their_document
-- level: fail
-- what: a node's id is not of its document, so that two segments could hold the same one
SELECT node_id, doc_id FROM nodes WHERE NOT starts_with(node_id, doc_id || '#')
