# The service in a container: docker build -t beleg .
# Stage 1 installs the exact versions of constraints.txt, as wheels; stage 2 holds the result and nothing that builds.

FROM python:3.11.13-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY parsers parsers
COPY schema_maps schema_maps
COPY indexer indexer
COPY orchestrator orchestrator
COPY goldsets goldsets
COPY qa qa
RUN python -m venv /opt/beleg \
 && /opt/beleg/bin/python -m pip install --no-cache-dir --disable-pip-version-check --only-binary :all: -c constraints.txt '.[dense,mcp,otel,postgresql,qdrant]' \
 && /opt/beleg/bin/python -m pip uninstall --yes --quiet pip

FROM python:3.11.13-slim-bookworm
LABEL org.opencontainers.image.title="Beleg" org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 beleg \
 && useradd --uid 10001 --gid beleg --no-create-home --home-dir /tmp --shell /usr/sbin/nologin beleg \
 && install --directory --owner=beleg --group=beleg --mode=0700 /workspace
COPY --from=build /opt/beleg /opt/beleg
ENV PATH=/opt/beleg/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    BELEG_WORKSPACE=/workspace
# Everything that is kept lies in the volume; the rest of the file system may be read-only, with a tmpfs at /tmp.
VOLUME ["/workspace"]
WORKDIR /workspace
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import http.client; c = http.client.HTTPConnection('127.0.0.1', 8080, timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["beleg"]
CMD ["serve", "--init", "--host", "0.0.0.0", "--port", "8080"]
