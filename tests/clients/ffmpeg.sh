#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# FFmpeg's OpenCL filters against its own on the host, those of which both have the same arithmetic: images written and
# read, uploaded and downloaded.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
command -v ffmpeg >/dev/null && ffmpeg -hide_banner -filters 2>/dev/null | grep -q erosion_opencl ||
    skip "no ffmpeg with OpenCL"
failed=0
source="testsrc=size=160x120:rate=1:duration=2"
film() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; }

# same HOST DEVICE [PIXELS]: the filter on the host and the one on the device make the same film.
same() {
    local pixels=${3:-yuv420p}
    film -f lavfi -i "$source" -vf "format=$pixels,$1" -f rawvideo "$work/host" 2>"$work/errors"
    film -init_hw_device opencl=o:0.0 -filter_hw_device o -f lavfi -i "$source" \
        -vf "format=$pixels,hwupload,$2,hwdownload,format=$pixels" -f rawvideo "$work/device" 2>>"$work/errors"
    if ! cmp "$work/host" "$work/device" || [ ! -s "$work/host" ] ||
        ! grep -q 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=[1-9]' "$work/errors"; then
        echo "FAILED  $2"
        cat "$work/errors"
        failed=1
    fi
}

export ORRERY_DATA_RACES=warning
same transpose=1 transpose_opencl=1
same transpose=2 transpose_opencl=2 yuv444p
same erosion erosion_opencl
same dilation=coordinates=231 dilation_opencl=coordinates=231
exit "$failed"
