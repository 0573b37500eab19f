-- name: null_rates
-- level: warn
-- what: a column that nearly every filing from EDGAR has is empty in a larger share of new ones than publish.max_missing_share allows
WITH filings AS (SELECT * FROM documents WHERE source = 'edgar' AND kind = 'filing'),
rates AS (
    UNPIVOT (
        SELECT
            avg(CASE WHEN company IS NULL THEN 1.0 ELSE 0 END) AS company,
            avg(CASE WHEN cik IS NULL THEN 1.0 ELSE 0 END) AS cik,
            avg(CASE WHEN form IS NULL THEN 1.0 ELSE 0 END) AS form,
            avg(CASE WHEN filed_at IS NULL THEN 1.0 ELSE 0 END) AS filed_at,
            avg(CASE WHEN known_from IS NULL THEN 1.0 ELSE 0 END) AS known_from,
            avg(CASE WHEN fiscal_year IS NULL THEN 1.0 ELSE 0 END) AS fiscal_year
        FROM filings
    ) ON company, cik, form, filed_at, known_from, fiscal_year INTO NAME column_name VALUE share
)
SELECT 'documents.' || column_name AS column_name, round(share, 3) AS share FROM rates WHERE share > (SELECT max_missing_share FROM limits)
