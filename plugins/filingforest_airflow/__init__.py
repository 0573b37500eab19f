"""What Airflow is given beside the DAGs: where a task finds its index and settings, what a run is asked for, when to try again.

The work itself is done by the library (`pipelines/filingforest`), which knows nothing of Airflow.
"""
