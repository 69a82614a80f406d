# Builds the program in an image with Swift, and runs it in one with only its libraries; see docs/deployment.md.

# For the same bytes at any time, name both by their digests: --build-arg BUILD_IMAGE=swift@sha256:….
ARG BUILD_IMAGE=swift:6.3.1-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM $BUILD_IMAGE AS build
WORKDIR /kindred
# A layer of its own, as dependencies change less often than sources.
COPY Makefile Package.resolved Package.swift ./
RUN make system-packages && swift package resolve
COPY Migrations Migrations
COPY Tests Tests
COPY Sources Sources
# The commit that `kindred --version` names; the context of the build has no history.
ARG COMMIT=
RUN make release COMMIT="$COMMIT" && make install DESTDIR=/image

FROM $BASE_IMAGE
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libpq5 libsqlite3-0 libssl3 libstdc++6 zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --no-log-init --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin kindred
COPY --from=build /image /

USER kindred
WORKDIR /data
VOLUME /data
# The default, the loopback address, can't be reached from outside the container.
ENV KINDRED_HOST=0.0.0.0
EXPOSE 8080
STOPSIGNAL SIGTERM
# A server with TLS closes the connection of a plain request, which shows that it works; one that hangs does neither.
# Kubernetes sets KINDRED_PORT to a URL if there is a service named kindred, which the server ignores.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["bash", "-c", "\
  port=${KINDRED_PORT:-8080}; exec 3<>/dev/tcp/127.0.0.1/${port/#*:*/8080} || exit 1; \
  printf 'GET /-/health HTTP/1.0\\r\\n\\r\\n' >&3; read -r answer <&3; [[ $answer == *' 200 '* || $answer != HTTP/* ]]"]
ENTRYPOINT ["kindred"]
CMD ["serve"]
