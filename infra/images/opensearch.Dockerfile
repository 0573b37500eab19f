# OpenSearch with the plugin that keeps snapshots on S3, which the official image lacks.
FROM opensearchproject/opensearch:3.6.0
RUN bin/opensearch-plugin install --batch repository-s3
