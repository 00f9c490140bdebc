# syntax=docker/dockerfile:1
# The compiler with the tools of an AVR and a Cortex-M part, in Debian 12; docs/how-to/containers.md.

FROM debian:bookworm-slim AS system
ARG DEBIAN_FRONTEND=noninteractive
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

FROM system AS compiler
COPY . /opt/tinyml_rules
WORKDIR /opt/tinyml_rules
RUN ./tinyml target=atmega328 model=sine run \
    && ./tinyml target=nrf52840 model=sine run \
    && rm -rf build /var/lib/apt/lists/*
ENV PATH="/opt/tinyml_rules/.venv/bin:$PATH"
WORKDIR /models
ENTRYPOINT ["tinyml_rules"]
CMD ["--help"]
