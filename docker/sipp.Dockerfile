# SIPp from Debian: a phone that answers every call and echoes its RTP, or a caller.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends sip-tester \
  && rm -rf /var/lib/apt/lists/*
USER nobody
WORKDIR /tmp
ENTRYPOINT ["sipp"]
