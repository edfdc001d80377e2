"""data.py FOLDER -- writes files of arrays: safetensors, gguf and NumPy.

The packages safetensors, gguf and ml_dtypes write the files where they are
installed; else writers of this file do, from the published formats.  Prints the
writers.
"""
import json
import os
import re
import struct
import sys
import zlib

import numpy as np

HALF = np.arange(12, dtype=np.float32).reshape(3, 4)
# Elements 0 to 7 as sign, exponent and fraction; all are exact.
E4M3 = bytes([0x00, 0x38, 0x40, 0x44, 0x48, 0x4A, 0x4C, 0x4E])
E5M2 = bytes([0x00, 0x3C, 0x40, 0x42, 0x44, 0x45, 0x46, 0x47])
BF16 = (HALF.view(np.uint32) >> 16).astype(np.uint16).tobytes()


def arrays():
    """Name, type of safetensors, shape, bytes."""
    yield "model.w", "F32", (3, 4), HALF.tobytes()
    yield "half", "F16", (3, 4), HALF.astype(np.float16).tobytes()
    yield "bf16", "BF16", (3, 4), BF16
    yield "e4m3", "F8_E4M3", (8,), E4M3
    yield "e5m2", "F8_E5M2", (8,), E5M2
    yield "i64", "I64", (3, 4), HALF.astype(np.int64).tobytes()
    yield "u8", "U8", (8,), E4M3
    yield "u:fp16", "I8", (8,), bytes(range(8))
    yield "bool", "BOOL", (8,), bytes([0, 1] * 4)


def safetensors_bytes(entries, gap=0):
    """The header, and the bytes after `gap` bytes that no array has."""
    header, data = {"__metadata__": {"format": "np", "a\"": "\u00e9"}}, b""
    for name, dtype, shape, content in entries:
        start = gap + len(data)
        header[name] = {"dtype": dtype, "shape": list(shape),
                        "data_offsets": [start, start + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, data


def write_safetensors(path):
    try:
        import ml_dtypes
        from safetensors import __version__
        from safetensors.numpy import save_file
        who = "safetensors " + __version__
        kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64,
                 "U8": np.uint8, "I8": np.int8, "BOOL": np.bool_,
                 "BF16": ml_dtypes.bfloat16, "F8_E5M2": ml_dtypes.float8_e5m2,
                 "F8_E4M3": ml_dtypes.float8_e4m3fn}
        save_file({name: np.frombuffer(content, kinds[dtype]).reshape(shape)
                   for name, dtype, shape, content in arrays()}, path,
                  {"format": "np"})
    except ImportError:
        who = "this script"
        with open(path, "wb") as f:
            f.write(b"".join(safetensors_bytes(arrays())))
    print(path, "by", who)


# -- GGUF --------------------------------------------------------------------

GGUF_TYPES = {"F32": 0, "F16": 1, "BF16": 30, "I64": 27, "MXFP4": 39}


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def gguf_bytes(entries, gap=0):
    """Name, type, shape in elements, bytes; as safetensors_bytes()."""
    entries = list(entries)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(entries), 3)
    head += gguf_string("general.architecture") + struct.pack("<I", 8)
    head += gguf_string("llama")
    head += gguf_string("tokens") + struct.pack("<IIQ", 9, 8, 2)
    head += gguf_string("a") + gguf_string("bb")
    head += gguf_string("general.alignment") + struct.pack("<II", 4, 64)
    data = b""
    for name, dtype, shape, content in entries:
        head += gguf_string(name) + struct.pack("<I", len(shape))
        head += struct.pack("<%dQ" % len(shape), *reversed(shape))
        head += struct.pack("<IQ", GGUF_TYPES[dtype], gap + len(data))
        data += content + bytes(-len(content) % 64)
    return head + bytes(-len(head) % 64), data


def mxfp4():
    """A block of 32: a scale of 2, elements 0 to 15 and then 15 to 0."""
    return bytes([128]) + bytes(i | (15 - i) << 4 for i in range(16))


def write_gguf(path):
    entries = [("w", "F32", (3, 4), HALF.tobytes()),
               ("half", "F16", (3, 4), HALF.astype(np.float16).tobytes()),
               ("bf16", "BF16", (3, 4), BF16),
               ("q", "MXFP4", (2, 32), mxfp4() * 2)]
    try:
        import gguf
        from importlib.metadata import version
        who = "gguf " + version("gguf")
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_array("tokens", ["a", "bb"])
        kinds = gguf.GGMLQuantizationType
        writer.add_tensor("w", HALF)
        writer.add_tensor("half", HALF.astype(np.float16))
        writer.add_tensor("bf16", np.frombuffer(BF16, np.uint8).reshape(3, 8),
                          raw_dtype=kinds.BF16)
        writer.add_tensor("q", np.frombuffer(mxfp4() * 2, np.uint8)
                          .reshape(2, 17), raw_dtype=kinds.MXFP4)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
    except ImportError:
        who = "this script"
        with open(path, "wb") as f:
            f.write(b"".join(gguf_bytes(entries)))
    print(path, "by", who)


def check_types():
    """gguf.def has the types that the package has."""
    try:
        from gguf.constants import GGML_QUANT_SIZES
    except ImportError:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../../runtime/data/gguf.def")) as f:
        rows = re.findall(r"TYPE\((\d+), (\w+), \w+, (\d+), (\d+)\)", f.read())
    ours = {(int(number), name, int(block), int(size))
            for number, name, block, size in rows}
    theirs = {(kind.value, kind.name) + tuple(sizes)
              for kind, sizes in GGML_QUANT_SIZES.items()}
    assert ours == theirs, ours ^ theirs


# -- Large files -------------------------------------------------------------

GAP = 5 << 30


def write_sparse(path, head, data):
    with open(path, "wb") as f:
        f.write(head)
        f.seek(GAP, os.SEEK_CUR)
        f.write(data)


def npy_bytes(array):
    import io
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def write_sparse_npz(path, content):
    """A member `hole` of 5 GiB, then `x`: all places need 64 bits."""
    def extra(full, size, *offset):
        return struct.pack("<HH", 1, 16 + 8 * len(offset)) + struct.pack(
            "<%dQ" % (2 + len(offset)), full, size, *offset)
    all_ones = 0xffffffff
    central, count = b"", 0
    with open(path, "wb") as f:
        for name, size, crc in ((b"hole.npy", GAP, 0),
                                (b"x.npy", len(content), zlib.crc32(content))):
            offset = f.tell()
            field = extra(size, size)
            f.write(struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0, 0, 0, 0,
                                crc, all_ones, all_ones, len(name),
                                len(field)) + name + field)
            if count:
                f.write(content)
            else:
                f.seek(size, os.SEEK_CUR)
            field = extra(size, size, offset)
            central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45,
                                   0, 0, 0, 0, crc, all_ones, all_ones,
                                   len(name), len(field), 0, 0, 0, 0,
                                   all_ones) + name + field
            count += 1
        start = f.tell()
        f.write(central)
        end64 = f.tell()
        f.write(struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0,
                            count, count, len(central), start))
        f.write(struct.pack("<IIQI", 0x07064b50, 0, end64, 1))
        f.write(struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, count, count,
                            len(central), all_ones, 0))


def write_large(path, entry):
    write_sparse(path + ".safetensors",
                 *safetensors_bytes([("w", "F32") + entry], GAP))
    write_sparse(path + ".gguf", *gguf_bytes([("w", "F32") + entry], GAP))
    write_sparse_npz(path + ".npz", npy_bytes(HALF))


def main(folder):
    check_types()
    os.chdir(folder)
    np.save("x.npy", HALF)
    np.save("eight.npy", np.arange(8, dtype=np.float32))
    np.save("q.npy", np.frombuffer(mxfp4() * 2, np.uint8).reshape(2, 17))
    np.savez("a.npz", x=HALF, y=HALF.astype(np.int64), f=np.asfortranarray(HALF))
    np.savez_compressed("c.npz", x=HALF, z=np.zeros((1000, 12), np.float32))
    write_safetensors("w.safetensors")
    write_gguf("m.gguf")
    write_large("large", ((3, 4), HALF.tobytes()))


main(sys.argv[1])
