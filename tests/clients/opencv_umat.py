#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenCV's kernels against what OpenCV computes on the host: UMat here, arrays there."""
import sys

try:
    import cv2
    import numpy as np
except ImportError as absent:
    print(f"skipped: {absent}")
    sys.exit(77)

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    print("opencv_umat: OpenCV found no device")
    sys.exit(1)

rng = np.random.default_rng(1)
colour = rng.integers(0, 255, (96, 128, 3), dtype=np.uint8)
grey = rng.integers(0, 255, (96, 128), dtype=np.uint8)
real, other = rng.random((64, 64), dtype=np.float32), rng.random((64, 64), dtype=np.float32)
table = np.arange(255, -1, -1).astype(np.uint8)
turned = np.float32([[0.9, 0.1, 3], [-0.1, 0.9, 5]])

# name: the call, how far the two may be apart
CALLS = {
    "cvtColor grey": (lambda on: cv2.cvtColor(on(colour), cv2.COLOR_BGR2GRAY), 0),
    "cvtColor YUV": (lambda on: cv2.cvtColor(on(colour), cv2.COLOR_BGR2YUV), 0),
    "GaussianBlur": (lambda on: cv2.GaussianBlur(on(colour), (5, 5), 1.2), 1),
    "Sobel": (lambda on: cv2.Sobel(on(grey), cv2.CV_32F, 1, 0), 0),
    "medianBlur": (lambda on: cv2.medianBlur(on(grey), 5), 0),
    "bilateralFilter": (lambda on: cv2.bilateralFilter(on(grey), 5, 50, 50), 1),
    "resize": (lambda on: cv2.resize(on(colour), (60, 40)), 1),
    "warpAffine": (lambda on: cv2.warpAffine(on(colour), turned, (128, 96)), 1),
    "gemm": (lambda on: cv2.gemm(on(real), on(other), 1.0, None, 0.0), 1e-4),
    "addWeighted": (lambda on: cv2.addWeighted(on(colour), 0.3, on(colour), 0.7, 1), 1),
    "threshold": (lambda on: cv2.threshold(on(grey), 100, 255, cv2.THRESH_BINARY)[1], 0),
    "calcHist": (lambda on: cv2.calcHist([on(grey)], [0], None, [256], [0, 256]), 0),
    "equalizeHist": (lambda on: cv2.equalizeHist(on(grey)), 0),
    "CLAHE": (lambda on: cv2.createCLAHE(2.0, (4, 4)).apply(on(grey)), 1),
    "erode": (lambda on: cv2.erode(on(grey), np.ones((3, 3), np.uint8)), 0),
    "integral": (lambda on: cv2.integral(on(grey)), 0),
    "norm": (lambda on: np.array([cv2.norm(on(grey), cv2.NORM_L2)]), 0),
    "sum": (lambda on: np.array(cv2.sumElems(on(colour))), 0),
    "minMaxLoc": (lambda on: np.array(cv2.minMaxLoc(on(real))[:2]), 0),
    "exp": (lambda on: cv2.exp(on(real)), 1e-6),
    "log": (lambda on: cv2.log(on(real)), 1e-6),
    "pow": (lambda on: cv2.pow(on(real), 1.7), 1e-6),
    "sqrt": (lambda on: cv2.sqrt(on(real)), 0),
    "magnitude": (lambda on: cv2.magnitude(on(real), on(other)), 1e-6),
    "Laplacian": (lambda on: cv2.Laplacian(on(grey), cv2.CV_16S), 0),
    "cornerHarris": (lambda on: cv2.cornerHarris(on(grey), 2, 3, 0.04), 1e-6),
    "flip": (lambda on: cv2.flip(on(colour), 1), 0),
    "transpose": (lambda on: cv2.transpose(on(colour)), 0),
    "LUT": (lambda on: cv2.LUT(on(grey), on(table)), 0),
    "reduce": (lambda on: cv2.reduce(on(real), 0, cv2.REDUCE_SUM), 1e-4),
    "fastNlMeansDenoising": (lambda on: cv2.fastNlMeansDenoising(on(grey), None, 10, 3, 7), 1),
    "filter2D": (lambda on: cv2.filter2D(on(colour), -1, np.ones((3, 3), np.float32) / 9), 1),
    "copyMakeBorder": (lambda on: cv2.copyMakeBorder(on(grey), 3, 3, 3, 3, cv2.BORDER_REFLECT), 0),
    "StereoBM": (lambda on: cv2.StereoBM_create(16, 9).compute(on(grey), on(np.roll(grey, 4, 1))), 0),
}

failed = 0
for name, (call, tolerance) in CALLS.items():
    cv2.ocl.setUseOpenCL(False)
    host = np.asarray(call(lambda array: array), dtype=np.float64)
    cv2.ocl.setUseOpenCL(True)
    device = call(cv2.UMat)
    device = np.asarray(device.get() if isinstance(device, cv2.UMat) else device, dtype=np.float64)
    apart = np.abs(host.reshape(-1) - device.reshape(-1)).max()
    if not apart <= tolerance:
        print(f"FAILED  {name}: {apart} apart, allowed {tolerance}")
        failed = 1
print(f"{len(CALLS)} calls compared")
sys.exit(failed)
