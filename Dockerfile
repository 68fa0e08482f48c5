# lean_agent with embedded Lean: by itself it serves Lean over HTTP, to those who have the token.
# docker build -t lean-agent . && docker run -e LEAN_AGENT_TOKEN=secret -p 8000:8000 lean-agent
# A light image, without torch: docker build --build-arg EXTRAS=serve .
FROM python:3.11-slim-bookworm

SHELL ["/bin/bash", "-o", "pipefail", "-c"]

# git: repositories are cloned with it.
RUN apt-get update \
    && apt-get install -y --no-install-recommends git=1:2.* \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY lean_agent lean_agent
COPY repos repos
ARG EXTRAS=serve,train
RUN pip install --no-cache-dir -c constraints.txt ".[${EXTRAS}]"

RUN useradd --create-home --uid 1000 user \
    && install --directory --owner=user --group=user /home/user/work/outputs /home/user/.cache/huggingface
USER 1000
ENV LEAN_AGENT_CACHE=/home/user/.cache/lean_agent \
    OMP_WAIT_POLICY=PASSIVE
RUN lean-agent lean install

WORKDIR /home/user/work
COPY --chown=user configs configs
COPY --chown=user examples examples
ENTRYPOINT []
EXPOSE 8000
CMD ["lean-agent", "serve", "--host", "0.0.0.0"]
