# SPDX-License-Identifier: Apache-2.0
# Orrery and the loader, for jobs that run OpenCL programs:
#
#   docker build -t orrery .
#   docker run --rm -v "$PWD:/work" orrery run -- ./program
#
# A program of the image's that uses OpenCL finds Orrery alone, also where it is not run by the command.
FROM debian:12 AS packages
COPY . /src
WORKDIR /src
RUN ./setup deb

FROM debian:12
COPY --from=packages /src/build/deb/*.deb /tmp/deb/
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ocl-icd-libopencl1 /tmp/deb/*.deb \
    && rm -rf /var/lib/apt/lists/* /tmp/deb
ENV OCL_ICD_VENDORS=/usr/share/orrery
WORKDIR /work
ENTRYPOINT ["orrery"]
CMD ["--help"]
