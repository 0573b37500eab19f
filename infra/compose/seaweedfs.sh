#!/bin/sh
# S3 with three identities: a publisher, a reader that may only get, and OpenSearch, which keeps snapshots in a bucket of its own. Buckets
# are made once the server answers.
set -eu
umask 077
cat > /tmp/identities.json <<JSON
{"identities": [
  {"name": "publisher", "credentials": [{"accessKey": "$S3_PUBLISHER_KEY", "secretKey": "$S3_PUBLISHER_SECRET"}],
   "actions": ["Read:$S3_BUCKET", "Write:$S3_BUCKET", "List:$S3_BUCKET"]},
  {"name": "reader", "credentials": [{"accessKey": "$S3_READER_KEY", "secretKey": "$S3_READER_SECRET"}],
   "actions": ["Read:$S3_BUCKET"]},
  {"name": "opensearch", "credentials": [{"accessKey": "$S3_SNAPSHOTS_KEY", "secretKey": "$S3_SNAPSHOTS_SECRET"}],
   "actions": ["Read:$S3_SNAPSHOTS_BUCKET", "Write:$S3_SNAPSHOTS_BUCKET", "List:$S3_SNAPSHOTS_BUCKET"]}
]}
JSON
(
  for bucket in "$S3_BUCKET" "$S3_SNAPSHOTS_BUCKET"; do
    until echo "s3.bucket.create -name $bucket" | weed shell -master=127.0.0.1:9333 >/dev/null 2>&1; do sleep 2; done
  done
) &
exec weed server -filer -s3 -s3.config=/tmp/identities.json -dir=/data -ip.bind=0.0.0.0 -master.volumeSizeLimitMB=1024
