# The container action: Python, git and ragate with its libraries, from a hash-locked list.
#
#   docker build --tag ragate .
#
# Behind a package mirror or a private certificate authority, hand in pip's settings as secrets; nothing
# of them stays in the image:
#
#   docker build --secret id=pip.conf,src=/etc/pip.conf --secret id=ca.pem,src=corporate-ca.pem .
#
# The base is named by its digest, since a tag moves; the workflow base-image proposes the next one.
ARG BASE=debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251

# --- the libraries, in an environment that holds no pip ---
# hadolint ignore=DL3006
FROM ${BASE} AS libraries
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

# Debian's packages are of one release, whose security updates are wanted; the build log and the
# release's bill of materials list them with their versions.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils ca-certificates python3-pip \
      python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv --without-pip /opt/ragate

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore

COPY requirements/image.txt /src/requirements/
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf \
    --mount=type=secret,id=ca.pem,target=/run/secrets/ca.pem \
    if [ -s /run/secrets/ca.pem ]; then export PIP_CERT=/run/secrets/ca.pem; fi; \
    python3 -m pip --python /opt/ragate/bin/python install --quiet --no-deps --require-hashes \
      --only-binary :all: --no-compile --requirement /src/requirements/image.txt

# Libraries' own tests go; what only a compiler, a type checker or a debugger reads; of LlamaIndex's
# data all but the tokens that its judges count; and of Pillow, which LlamaIndex asks for and nothing
# here draws with, fonts, colour profiles, AVIF and WebP. (Libraries in *.libs are packed so that
# strip would break them.)
WORKDIR /opt/ragate/lib/python3.11/site-packages
RUN find . -depth '(' -path '*/__pycache__*' -o -path '*/tests/*' -o -name '*_tests.*.so' \
      -o -name '*.pyi' -o -name '*.py[xd]' -o -name '*.pxd' -o -name '*.[ach]' ')' -delete \
 && find . -name '*.so' -not -path '*.libs/*' -exec strip --strip-unneeded '{}' + \
 && rm -r llama_index/core/_static/nltk_cache llama_index/core/_static/tiktoken_cache/fb374d419588* \
      numpy/f2py numpy/_core/_simd.* sqlalchemy/testing \
      PIL/_avif.* PIL/_imagingcms.* PIL/_imagingft.* PIL/_webp.* pillow.libs/libavif-* \
      pillow.libs/libbrotli* pillow.libs/libfreetype-* pillow.libs/libharfbuzz-* \
      pillow.libs/liblcms2-* pillow.libs/libpng* pillow.libs/libsharpyuv-* pillow.libs/libwebp*

COPY docker/bytecode.py /src/docker/
RUN PYTHONDONTWRITEBYTECODE=1 /opt/ragate/bin/python -P /src/docker/bytecode.py \
      click dotenv httpcore2 httpx2 jinja2 jinja2.sandbox llama_index.core.evaluation \
      llama_index.core.node_parser llama_index.core.llms numpy.linalg numpy.random openai._client \
      opentelemetry.exporter.otlp.proto.http._log_exporter \
      opentelemetry.exporter.otlp.proto.http.metric_exporter \
      opentelemetry.exporter.otlp.proto.http.trace_exporter pgvector pgvector.psycopg psycopg \
      psycopg_binary regex Stemmer tiktoken truststore yaml

# --- ragate itself, built without an index: what the lock lacks cannot slip in ---
FROM libraries AS package

COPY requirements/build.txt /src/requirements/
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf \
    --mount=type=secret,id=ca.pem,target=/run/secrets/ca.pem \
    if [ -s /run/secrets/ca.pem ]; then export PIP_CERT=/run/secrets/ca.pem; fi; \
    python3 -m venv --without-pip /opt/build \
 && python3 -m pip --python /opt/build/bin/python install --quiet --no-deps --require-hashes \
      --only-binary :all: --requirement /src/requirements/build.txt

COPY pyproject.toml README.md LICENSE /src/
COPY ragate /src/ragate
RUN python3 -m pip --python /opt/build/bin/python wheel --quiet --no-index --no-deps \
      --no-build-isolation --wheel-dir /tmp/wheel /src \
 && python3 -m pip --python /opt/ragate/bin/python install --quiet --no-index --no-deps --no-compile \
      --prefix /opt/package /tmp/wheel/*.whl \
 && python3 -m compileall -q --invalidation-mode unchecked-hash -s /opt/package -p /opt/ragate \
      /opt/package

# --- the image ---
# hadolint ignore=DL3006
FROM ${BASE}
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

# Of git, only what reads a repository: its servers stay out, and Perl, which is half of its size and
# which only scripts need that nobody runs here (send-email, instaweb); of Python its own tests and
# the texts of help(); and openssl, which is done when it has listed the certificates.
# hadolint ignore=DL3008
RUN printf 'path-exclude=%s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/locale/*' \
      /usr/lib/git-core/git-{daemon,http-backend,http-fetch,http-push,imap-send,shell} \
      /usr/lib/git-core/{git-sh-i18n--envsubst,scalar} /usr/bin/{git-shell,scalar} '/usr/share/gitweb/*' \
      '/usr/share/bash-completion/*' > /etc/dpkg/dpkg.cfg.d/ragate \
 && apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git python3 \
 && dpkg-query --show --showformat '${Package}\n' 'libperl5.*' 'perl-modules-5.*' \
      | xargs dpkg --purge --force-depends perl liberror-perl git-man libgdbm-compat4 libgdbm6 openssl \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* \
      /usr/lib/python3*/{pydoc_data,test} \
 && dpkg-query --show && git --version && python3 --version

COPY --from=libraries /opt/ragate /opt/ragate
COPY --from=package /opt/package /opt/ragate

ENV PATH=/opt/ragate/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

ARG SOURCE=""
ARG REVISION=""
ARG VERSION=""
LABEL org.opencontainers.image.title="ragate" \
      org.opencontainers.image.description="The regression gate for RAG on pull requests." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.version="${VERSION}"

# As root, since GitHub mounts a workspace of another user and requires it. -P: the workspace is the
# working directory, and nothing in it may stand in for one of our modules.
ENTRYPOINT ["python", "-P", "-m", "ragate.github"]
