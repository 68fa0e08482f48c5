# lean_agent with embedded Lean. docker build -t lean-agent .
FROM python:3.11-slim-bookworm

SHELL ["/bin/bash", "-o", "pipefail", "-c"]

# git: repositories are cloned with it.
RUN apt-get update \
    && apt-get install -y --no-install-recommends git=1:2.* \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY lean_agent lean_agent
RUN pip install --no-cache-dir -c constraints.txt .

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
CMD ["lean-grpo", "--help"]
