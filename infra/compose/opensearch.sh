#!/bin/bash
# Gives the security plugin one user, `admin`, with the password of the environment, before its index is first made (users for people and
# the roles of infra/opensearch are added through its REST interface afterwards), and lets OpenSearch keep its snapshots on S3: the keys go
# into its keystore, and once it and S3 answer, the repository is registered (again, at each start: that changes nothing).
set -euo pipefail
tools=plugins/opensearch-security/tools
hash=$(bash "$tools/hash.sh" -p "$OPENSEARCH_PASSWORD" | tail -n 1)
cat > config/opensearch-security/internal_users.yml <<YAML
_meta: {type: internalusers, config_version: 2}
admin: {hash: "$hash", reserved: true, backend_roles: [admin]}
YAML

[ -f config/opensearch.keystore ] || bin/opensearch-keystore create
printf %s "$S3_SNAPSHOTS_KEY" | bin/opensearch-keystore add --stdin --force s3.client.default.access_key
printf %s "$S3_SNAPSHOTS_SECRET" | bin/opensearch-keystore add --stdin --force s3.client.default.secret_key
(
  until curl -fsS --cacert config/certificates/ca.pem -u "admin:$OPENSEARCH_PASSWORD" -o /dev/null \
    -X PUT "https://opensearch:9200/_snapshot/$OPENSEARCH_REPOSITORY" -H 'Content-Type: application/json' \
    -d "{\"type\": \"s3\", \"settings\": {\"bucket\": \"$S3_SNAPSHOTS_BUCKET\", \"base_path\": \"filings\"}}" 2> /dev/null
  do sleep 5; done
) &
exec ./opensearch-docker-entrypoint.sh opensearch
