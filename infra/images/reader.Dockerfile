# The reader over HTTP, in process or in OpenSearch: no Airflow, no torch, no root; everything that it keeps is the cache.
FROM python:3.11.13-slim-bookworm
RUN useradd --create-home --uid 10001 reader && mkdir /cache && chown reader /cache
COPY constraints/serve.txt /tmp/serve.txt
COPY pyproject.toml README.md /src/
COPY pipelines /src/pipelines
RUN pip install --no-cache-dir "/src[serve,opensearch]" -c /tmp/serve.txt && rm -rf /src /tmp/serve.txt
USER reader
ENV FILINGFOREST_CACHE=/cache FILINGFOREST_SERVE_HOST=0.0.0.0 ORT_DISABLE_TELEMETRY=1
VOLUME /cache
EXPOSE 8000
HEALTHCHECK --interval=30s --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health')"]
ENTRYPOINT ["filingforest"]
CMD ["serve"]
