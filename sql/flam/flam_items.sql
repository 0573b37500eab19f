-- name: flam_items
-- what: how often each term, and each cluster of terms, stands in each Item of live documents, and the Item's share of all of it
-- given: counts (item_key, term, count), parts of the sums over live documents; clusters (term, cluster) of the lexicon
WITH
terms AS (
    SELECT item_key, term, NULL::INTEGER AS cluster, sum(count)::BIGINT AS count
    FROM counts
    GROUP BY item_key, term
    HAVING sum(count) <> 0
),
grouped AS (
    SELECT terms.item_key, NULL::VARCHAR AS term, clusters.cluster, sum(terms.count)::BIGINT AS count
    FROM terms
    INNER JOIN clusters USING (term)
    GROUP BY terms.item_key, clusters.cluster
)
SELECT item_key, term, cluster, count, count / sum(count) OVER (PARTITION BY term, cluster) AS weight
FROM (SELECT * FROM terms UNION ALL SELECT * FROM grouped)
ORDER BY item_key, term NULLS LAST, cluster NULLS FIRST
