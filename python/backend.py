# SPDX-License-Identifier: MIT
"""meson-python with the right name of the wheel: one binary for CPython 3.11 and later.

The extension uses the limited API only (python/core/core.h), so its wheel is cp311-abi3. Old
versions of meson-python find that out themselves. Newer ones need a key in pyproject.toml that
the old ones refuse, and then write the version of the Python that builds. This backend replaces
the tag in every case.
"""
import base64
import hashlib
import pathlib
import re
import zipfile

import mesonpy

TAG = "cp311-abi3"

# Old versions of meson-python name files by Meson's version as it is, and pip refuses "0.2.0-dev".
if hasattr(mesonpy.Project, "version"):
    _said = mesonpy.Project.version.fget
    mesonpy.Project.version = property(lambda self: re.sub("-dev$", ".dev0", _said(self)))

for _hook in ("build_sdist", "build_editable", "get_requires_for_build_sdist",
              "get_requires_for_build_wheel", "get_requires_for_build_editable",
              "prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable"):
    if hasattr(mesonpy, _hook):
        globals()[_hook] = getattr(mesonpy, _hook)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    made = pathlib.Path(wheel_directory, name)
    start, _, _, platform = made.stem.rsplit("-", 3)
    named = made.with_name(f"{start}-{TAG}-{platform}.whl")
    rewritten = made.with_suffix(".part")
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(rewritten, "w") as new:
        _copy(old, new)
    made.unlink()
    rewritten.rename(named)
    return named.name


def _copy(old, new):
    """Copies all files, with the tag in WHEEL and its digest in RECORD replaced."""
    texts = {}
    for info in old.infolist():
        if info.filename.endswith(".dist-info/WHEEL"):
            text = re.sub(rb"(?m)^Tag: \w+-\w+-", f"Tag: {TAG}-".encode(), old.read(info))
            digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=")
            line = f"{info.filename},sha256={digest.decode()},{len(text)}".encode()
            record = info.filename.removesuffix("WHEEL") + "RECORD"
            texts[info.filename] = text
            texts[record] = re.sub(rb"(?m)^" + re.escape(info.filename.encode()) + rb",.*$",
                                   line, old.read(record))
    for info in old.infolist():
        data = texts.get(info.filename, old.read(info))
        new.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)
