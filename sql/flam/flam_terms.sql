-- name: flam_terms
-- what: every term of the lexicon with its cluster and its share of all terms found in live documents (FinGEAR: weight = count / sum of counts)
-- given: counts (item_key, term, count), parts of the sums over live documents; clusters (term, cluster) of the lexicon
WITH found AS (SELECT term, sum(count) AS count FROM counts GROUP BY term)
SELECT
    clusters.term,
    clusters.cluster,
    coalesce(found.count, 0) / greatest(sum(coalesce(found.count, 0)) OVER (), 1) AS weight
FROM clusters
LEFT JOIN found USING (term)
ORDER BY clusters.term
