# SPDX-License-Identifier: MIT
"""Arrow C streams made by hand with ctypes, for tests without an Arrow library."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p

import numpy as np

FORMATS = {"bool": b"b", "int8": b"c", "uint8": b"C", "int16": b"s", "uint16": b"S", "int32": b"i",
           "uint32": b"I", "int64": b"l", "uint64": b"L", "float32": b"f", "float64": b"g"}


class Text:
    """A column of text in one of the layouts. A dictionary's last code may be false."""

    def __init__(self, values, layout, last=None):
        self.values, self.layout, self.last = values, layout, last

    def __len__(self):
        return len(self.values)


class Nulls:
    """A column of numbers whose last one is null."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


RELEASE_SCHEMA, RELEASE_ARRAY, RELEASE_STREAM = (CFUNCTYPE(None, POINTER(t)) for t in (Schema, Array, Stream))
Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p),
                   ("flags", c_int64), ("n_children", c_int64),
                   ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
                   ("release", RELEASE_SCHEMA), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64),
                  ("n_buffers", c_int64), ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
                  ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
                  ("release", RELEASE_ARRAY), ("private_data", c_void_p)]
GET_SCHEMA = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GET_ERROR = CFUNCTYPE(c_void_p, POINTER(Stream))
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR),
                   ("release", RELEASE_STREAM), ("private_data", c_void_p)]

_alive = []  # what the capsules point at; the tests end before this grows


@RELEASE_SCHEMA
def _release_schema(schema):
    schema.contents.release = RELEASE_SCHEMA()


@RELEASE_ARRAY
def _release_array(array):
    array.contents.release = RELEASE_ARRAY()


@RELEASE_STREAM
def _release_stream(stream):
    stream.contents.release = RELEASE_STREAM()


def _keep(thing):
    _alive.append(thing)
    return thing


def _address(array):
    return _keep(np.ascontiguousarray(array)).ctypes.data


def _array(length, offset, buffers, children=(), dictionary=None, null_count=0):
    pointers = _keep((c_void_p * len(buffers))(*buffers))
    kids = _keep((POINTER(Array) * max(1, len(children)))(*(ctypes.pointer(c) for c in children)))
    return _keep(Array(length, null_count, offset, len(buffers), len(children), pointers, kids,
                       ctypes.pointer(dictionary) if dictionary else None, _release_array, None))


def _schema(form, name=b"", children=(), dictionary=None):
    kids = _keep((POINTER(Schema) * max(1, len(children)))(*(ctypes.pointer(c) for c in children)))
    return _keep(Schema(form, name, None, 0, len(children), kids,
                        ctypes.pointer(dictionary) if dictionary else None, _release_schema, None))


def _text_buffers(values, layout):
    raw = [v.encode(errors="surrogateescape") for v in values]
    if layout in ("u", "U"):
        kind = np.int32 if layout == "u" else np.int64
        ends = np.cumsum([0] + [len(r) for r in raw]).astype(kind)
        return [None, _address(ends), _address(np.frombuffer(b"".join(raw) + b"\0", np.uint8))]
    views, heap = bytearray(), bytearray()
    for r in raw:
        if len(r) <= 12:
            views += len(r).to_bytes(4, "little") + r.ljust(12, b"\0")
        else:
            views += len(r).to_bytes(4, "little") + r[:4] + (0).to_bytes(4, "little")
            views += len(heap).to_bytes(4, "little")
            heap += r
    heap += b"\0"
    sizes = np.array([len(heap)], np.int64)
    return [None, _address(np.frombuffer(bytes(views), np.uint8)),
            _address(np.frombuffer(bytes(heap), np.uint8)), _address(sizes)]


def _column_schema(name, column):
    if isinstance(column, Text):
        if column.layout == "dictionary":
            return _schema(b"c", name.encode(), dictionary=_schema(b"u"))
        return _schema(column.layout.encode(), name.encode())
    values = column.values if isinstance(column, Nulls) else column
    return _schema(FORMATS[values.dtype.name], name.encode())


def _column_array(column, first, end, offset):
    """Rows first … end, after `offset` rows that must not be read."""
    n = end - first
    if isinstance(column, Text):
        values = ["?"] * offset + column.values[first:end]
        if column.layout == "dictionary":
            words = sorted(set(values))
            codes = np.array([words.index(v) for v in values], np.int8)
            if column.last is not None:
                codes[-1] = column.last
            book = _array(len(words), 0, _text_buffers(words, "u"))
            return _array(n, offset, [None, _address(codes)], dictionary=book)
        return _array(n, offset, _text_buffers(values, column.layout))
    source = column.values if isinstance(column, Nulls) else column
    values = np.concatenate([np.full(offset, 1, source.dtype), source[first:end]])
    if values.dtype == bool:
        values = np.packbits(values, bitorder="little")
    valid, nulls = None, 0
    if isinstance(column, Nulls):
        bits = np.ones(offset + n, bool)
        bits[-1] = False
        valid, nulls = _address(np.packbits(bits, bitorder="little")), -1
    return _array(n, offset, [valid, _address(values)], null_count=nulls)


def stream(columns, parts=1, offset=0, fails=False):
    """A capsule with the columns in `parts` batches."""
    n = len(next(iter(columns.values())))
    reason = _keep(ctypes.create_string_buffer(b"disk on fire"))
    borders = np.linspace(0, n, parts + 1).astype(int)
    left = list(zip(borders[:-1].tolist(), borders[1:].tolist()))

    @GET_SCHEMA
    def get_schema(_, out):
        out[0] = _schema(b"+s", children=[_column_schema(k, c) for k, c in columns.items()])
        return 0

    @GET_NEXT
    def get_next(_, out):
        if fails and len(left) < parts:
            return 5
        if not left:
            out[0] = Array()
            return 0
        first, end = left.pop(0)
        kids = [_column_array(c, first, end, offset) for c in columns.values()]
        out[0] = _array(end - first, 0, [None], kids)
        return 0

    @GET_ERROR
    def get_error(_):
        return ctypes.addressof(reason)

    _keep((get_schema, get_next, get_error))
    made = _keep(Stream(get_schema, get_next, get_error, _release_stream, None))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
    return new(ctypes.addressof(made), b"arrow_array_stream", None)
