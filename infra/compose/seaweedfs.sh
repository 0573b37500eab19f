#!/bin/sh
# S3 with two identities: a publisher, and a reader that may only get; the bucket is made once the server answers.
set -eu
umask 077
cat > /tmp/identities.json <<JSON
{"identities": [
  {"name": "publisher", "credentials": [{"accessKey": "$S3_PUBLISHER_KEY", "secretKey": "$S3_PUBLISHER_SECRET"}],
   "actions": ["Read:$S3_BUCKET", "Write:$S3_BUCKET", "List:$S3_BUCKET"]},
  {"name": "reader", "credentials": [{"accessKey": "$S3_READER_KEY", "secretKey": "$S3_READER_SECRET"}],
   "actions": ["Read:$S3_BUCKET"]}
]}
JSON
(
  until echo "s3.bucket.create -name $S3_BUCKET" | weed shell -master=127.0.0.1:9333 >/dev/null 2>&1; do sleep 2; done
) &
exec weed server -filer -s3 -s3.config=/tmp/identities.json -dir=/data -ip.bind=0.0.0.0 -master.volumeSizeLimitMB=1024
