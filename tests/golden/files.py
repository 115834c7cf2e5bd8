#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files that a run makes, and the memory that input files can use: files.py PROGRAM"""
import gzip
import os
import signal
import struct
import subprocess
import sys

from golden import check, run_tap, train

# ---- runs that are ended half-way -----------------------------------------------------

WRITERS = {"predict": ["predict", "m.json", "-o", "p.csv", "-"],
           "cache": ["cache", "--features", "5", "-o", "c.cache", "-"]}


def start(place, *words, **more):
    return subprocess.Popen(["tacit", *words], cwd=place.work, env=place.env,
                            executable=str(place.folder / "bin" / "tacit"),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def half_way(place, command):
    """A process that has written rows and waits for more, and the files from before."""
    train(place, "--epsilon", 1)
    before = place.files()
    process = start(place, *WRITERS[command], stdin=subprocess.PIPE)
    # More than fits into the pipe: when all is written, most of it was read.
    process.stdin.write((place.work / "rows.svm").read_bytes() * 100)
    process.stdin.flush()
    new = set(place.files()) - set(before)
    check(all(name.startswith("tacit-") and name.endswith(".tmp") for name in new),
          f"a file has its name before it is complete: {new}")
    return process, before


def terminated(command):
    def scenario(place):
        process, before = half_way(place, command)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        check(process.returncode == 143, f"exit code {process.returncode}: {err.decode()}")
        check(place.files() == before, f"left behind: {place.files()}")
    return scenario


def killed(command):
    """A killed run leaves no file with records: immediately if files can be nameless,
    otherwise after the next run."""
    def scenario(place):
        process, before = half_way(place, command)
        process.kill()
        process.communicate(timeout=30)
        left = sorted(set(place.files()) - set(before))
        probe = place.work / "probe"
        try:
            os.close(os.open(place.work, os.O_TMPFILE | os.O_RDWR))
            check(not left, f"left behind: {left}")
        except OSError:
            pass
        code, _, err = place.tacit("schema", "--header", "rows.csv", "-o", "probe")
        check(code == 0, err)
        probe.unlink()
        check(place.files() == before, f"left behind: {place.files()}")
    return scenario


def stale_files_go(place):
    """The next output removes a temporary file that no process has locked."""
    before = place.files()
    (place.work / "tacit-4711-0.tmp").write_text("1 1:1\n")
    (place.work / "tacit-mine.tmp").write_text("mine\n")
    train(place, "--epsilon", 1)
    check(place.files() == sorted([*before, "m.json", "tacit-mine.tmp"]), f"{place.files()}")


# ---- memory and descriptors -----------------------------------------------------------


def peak(place, *words, stdin=None):
    """Exit code, standard error and peak memory of a run, in MiB."""
    with subprocess.Popen(["tacit", *words], cwd=place.work, env=place.env,
                          executable=str(place.folder / "bin" / "tacit"), stdin=stdin,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        err = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, err, used.ru_maxrss / 1024


def refused_within(most, place, *words, text, stdin=None):
    code, err, took = peak(place, *words, stdin=stdin)
    check(code == 3 and text in err, f"exit code {code}: {err}")
    check(took < most, f"{took:.0f} MiB")


def small_files_stay_small(place):
    """A gigabyte without a line end in a file of a megabyte: consecutive gzip members are
    one stream."""
    (place.work / "bomb.gz").write_bytes(gzip.compress(b"x" * (1 << 20), mtime=0) * 1000)
    words = ["train", "-q", "--epsilon", "1", "--features", "5", "-o", "m.json"]
    text = "line 1: longer than 67108864 bytes"
    refused_within(600, place, *words, "bomb.gz", text=text)
    refused_within(600, place, *words, "--no-shuffle", "bomb.gz", text=text)
    refused_within(600, place, "schema", "--header", "bomb.gz", text=text)
    with open("/dev/zero", "rb") as zeros:
        refused_within(600, place, *words, "--rows", "9", "-", stdin=zeros, text=text)


def endless_models_stay_small(place):
    """Files that never end, and one of 100 kilobytes that decodes to 2 gigabytes, as a model
    or a schema, without any option."""
    zeros = "/dev/zero: larger than 67108864 bytes"
    for command in (["predict"], ["eval"], ["show"]):
        rows = [] if command == ["show"] else ["rows.svm"]
        refused_within(400, place, *command, "/dev/zero", *rows, text=zeros)
        with open("/dev/zero", "rb") as pipe:
            refused_within(400, place, *command, "/dev/stdin", *rows, stdin=pipe,
                           text="/dev/stdin: larger than 67108864 bytes")
    (place.work / "bomb.gz").write_bytes(gzip.compress(b" " * (1 << 20), mtime=0) * 2000)
    # a frame of 16384 blocks: 128 KiB of blanks each
    (place.work / "bomb.zst").write_bytes(bytes.fromhex("28b52ffd0038")
                                          + bytes.fromhex("02001020") * 16383
                                          + bytes.fromhex("03001020"))
    _, built, _ = place.tacit("version")
    for path in ["/dev/zero", "bomb.gz"] + ["bomb.zst"] * ("zstd" in built):
        text = f"{path}: larger than 67108864 bytes"
        train = ["train", "--epsilon", "1", "-o", "m.json", "rows.csv"]
        refused_within(500, place, *train, "--schema", path, text=text)
        refused_within(500, place, "check", "--schema", path, "rows.csv", text=text)
    with open(place.work / "long.json", "wb") as file:  # no model, of a gigabyte less one
        file.truncate((1 << 30) - 1)
    refused_within(400, place, "predict", "long.json", "rows.svm",
                   text="long.json: larger than 67108864 bytes")


def shards(place, count, suffix=""):
    """Shards of one row each in s/ and their rows in one file, all.svm."""
    rows = (place.work / "rows.svm").read_bytes().splitlines(keepends=True)
    (place.work / "s").mkdir()
    for i in range(count):
        row = rows[i % len(rows)]
        path = place.work / "s" / f"{i:05}.svm{suffix}"
        path.write_bytes(gzip.compress(row, 1, mtime=0) if suffix else row)
    (place.work / "all.svm").write_bytes(b"".join(rows[i % len(rows)] for i in range(count)))


def same_model(place, limit, *words):
    """Training on the shards, with few descriptors, gives the model of the one file."""
    options = f"--epsilon 1 --features 5 --seed 1 {' '.join(words)}"
    line = f"tacit train -q {options} -o a.json all.svm"
    code, _, err = place.shell(line)
    check(code == 0, err)
    code, _, err = place.shell(f"ulimit -n {limit}; tacit train -q {options} -o b.json s/*")
    check(code == 0, err)
    a, b = ((place.work / name).read_bytes() for name in ("a.json", "b.json"))
    check(a == b, f"another model with {words}")


def many_shards(place):
    shards(place, 5000)
    same_model(place, 256, "--threads", "1", "--passes", "2")
    same_model(place, 256, "--threads", "2", "--passes", "3")
    same_model(place, 256, "--threads", "2", "--no-shuffle")
    for command in ("predict a.json", "eval -q a.json"):  # not mapped
        one = place.shell(f"tacit {command} all.svm")
        all_ = place.shell(f"ulimit -n 256; tacit {command} s/*")
        check(one == all_ and one[0] == 0, f"{command}: {all_[2]}")


def many_compressed_shards(place):
    shards(place, 400, ".gz")
    same_model(place, 64, "--threads", "2", "--passes", "2")
    same_model(place, 64, "--threads", "2", "--no-shuffle")


# ---- caches of older formats --------------------------------------------------------------


def older_caches_are_refused(place):
    """Formats 1 to 3: the message names the format and the command that makes a new cache."""
    (place.work / "rows.svm").write_text("1 1:0.5 3:-1\n-1 2:2\n")
    code, _, err = place.tacit("cache", "--features", 3, "-o", "now.cache", "rows.svm")
    check(code == 0, err)
    now = (place.work / "now.cache").read_bytes()
    order = ">" if os.environ.get("TACIT_TEST_ENDIAN", sys.byteorder) == "big" else "<"
    for version in (1, 2, 3):
        (place.work / "old.cache").write_bytes(
            now[:8] + struct.pack(f"{order}I", version) + now[12:])
        code, out, err = place.tacit("train", "-q", "--epsilon", 1, "-o", "m.json", "old.cache")
        check(code == 3 and f"a cache of format {version}, this build reads format 4; "
              "make a new one: tacit cache -o FILE DATA" in err, f"{code}\n{out}{err}")
        check(not (place.work / "m.json").exists(), "there is a model")


SCENARIOS = [
    ("older caches are refused", older_caches_are_refused),
    ("SIGTERM while predicting", terminated("predict")),
    ("SIGTERM while a cache is made", terminated("cache")),
    ("killed while predicting", killed("predict")),
    ("killed while a cache is made", killed("cache")),
    ("stale temporary files go", stale_files_go),
    ("small files take little memory", small_files_stay_small),
    ("endless models take little memory", endless_models_stay_small),
    ("5,000 shards with 256 descriptors", many_shards),
    ("400 compressed shards with 64 descriptors", many_compressed_shards),
]

sys.exit(run_tap(sys.argv[1], SCENARIOS))
