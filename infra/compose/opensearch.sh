#!/bin/bash
# Gives the security plugin one user, `admin`, with the password of the environment, before its index is first made. Users for people and
# the roles of infra/opensearch are added through its REST interface afterwards.
set -euo pipefail
tools=plugins/opensearch-security/tools
hash=$(bash "$tools/hash.sh" -p "$OPENSEARCH_PASSWORD" | tail -n 1)
cat > config/opensearch-security/internal_users.yml <<YAML
_meta: {type: internalusers, config_version: 2}
admin: {hash: "$hash", reserved: true, backend_roles: [admin]}
YAML
exec ./opensearch-docker-entrypoint.sh opensearch
