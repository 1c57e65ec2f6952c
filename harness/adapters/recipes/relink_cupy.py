# SPDX-License-Identifier: Apache-2.0
"""Makes the CuPy of an environment call its CUDA runtime through a shared library.

CuPy's wheels hold cudart, linked statically, which no drop-in can stand for. One module of CuPy
calls it: that is built again from CuPy's source, of the same version, with -lcudart, and put in the
place of the wheel's. It takes a minute, a C++ compiler and the network; no nvcc and no GPU:

    ENVIRONMENT/bin/python relink_cupy.py
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from importlib import metadata

MODULE = "cupy_backends.cuda.api.runtime"
# What CuPy's own build says of its sources, and what of CUDA they include.
DIRECTIVES = {"embedsignature": True, "c_api_binop_methods": True, "binding": False,
              "warn.deprecated.IF": False, "freethreading_compatible": True}
TOOLS = ["setuptools>=77", "Cython>=3.2,<3.3"]
HEADERS = ["nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl", "nvidia-cuda-profiler-api"]


def installed() -> tuple[str, str]:
    """CuPy's version, and the major version of its CUDA."""
    for name in metadata.packages_distributions().get("cupy", []):
        if found := re.fullmatch(r"cupy-cuda(\d+)x", name):
            return metadata.version(name), found[1]
    sys.exit(f"{sys.executable}: no wheel of CuPy for CUDA is installed")


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *arguments, "--quiet"], check=True)


def source(version: str, folder: pathlib.Path) -> pathlib.Path:
    pip("download", f"cupy=={version}", "--no-deps", "--no-binary", "cupy", "--no-build-isolation",
        "--dest", str(folder))
    with tarfile.open(next(folder.glob("cupy-*.tar.gz"))) as archive:
        archive.extractall(folder)
    return folder / f"cupy-{version}"


def cython(root: pathlib.Path) -> None:
    """Writes the C++ of the module."""
    import Cython
    from Cython.Compiler.Main import CompilationOptions, compile_single, default_options

    values = {"CUPY_USE_CUDA_PYTHON": False, "CUPY_CUFFT_STATIC": False,
              "CUPY_CYTHON_VERSION": Cython.__version__, "CUPY_HIP_VERSION": 0,
              "CUPY_CUDA_VERSION": cuda_version()}
    options = CompilationOptions(default_options, language_level=3, cplus=True,
                                 compiler_directives=DIRECTIVES, compile_time_env=values)
    if compile_single(str(root.joinpath(*MODULE.split(".")).with_suffix(".pyx")), options,
                      MODULE).num_errors:
        sys.exit(f"{MODULE}: Cython could not read it")


def cuda() -> pathlib.Path:
    """The folder of NVIDIA's wheels with include and lib."""
    roots = pathlib.Path(sysconfig.get_path("purelib"), "nvidia")
    return next(header.parent.parent for header in roots.rglob("include/cuda_runtime.h"))


def cuda_version() -> int:
    text = (cuda() / "include" / "cuda.h").read_text(errors="replace")
    return int(re.search(r"#define CUDA_VERSION (\d+)", text)[1])


def build(root: pathlib.Path, major: str) -> pathlib.Path:
    built = root / "runtime.so"
    file = root.joinpath(*MODULE.split(".")).with_suffix(".cpp")
    folders = [cuda() / "include", cuda() / "include" / "cccl", sysconfig.get_path("include"),
               root / "cupy_backends"]
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", "-w", *(f"-I{folder}" for folder in folders),
                    str(file), "-o", str(built), str(cuda() / "lib" / f"libcudart.so.{major}"),
                    f"-Wl,-rpath,{cuda() / 'lib'}"], check=True)
    return built


def main() -> None:
    version, major = installed()
    pip("install", *TOOLS, *(f"{name}=={major}.*" for name in HEADERS))
    with tempfile.TemporaryDirectory() as folder:
        root = source(version, pathlib.Path(folder))
        cython(root)
        built = build(root, major)
        place = pathlib.Path(sysconfig.get_path("platlib")).joinpath(
            *MODULE.split(".")).with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
        place.write_bytes(built.read_bytes())
    print(f"{place}: links libcudart.so.{major}")


if __name__ == "__main__":
    main()
