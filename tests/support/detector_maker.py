"""Detectors as ONNX files that tell what they see, and pictures in one colour, for tests of what lies around a network."""
import struct
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def png(path, width, height, pixels):
    """`pixels`: rows of grey values, or one value for all."""
    rows = [bytes([pixels]) * width] * height if isinstance(pixels, int) else [bytes(row) for row in pixels]
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", data) + chunk(b"IEND", b""))


def save(path, nodes, constants, size, outputs):
    """The mean over channels is 'grey' (1, 1, size, size); `outputs` are names with shapes."""
    weights = {"mean_of_three": np.full((1, 3, 1, 1), 1 / 3, np.float32), **constants}
    graph = helper.make_graph(
        [helper.make_node("Conv", ["images", "mean_of_three"], ["grey"])] + nodes, "detector",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, size, size])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    model.ir_version = 6
    onnx.save(model, path)


def boxes_with_scores(path, size, boxes, nodes, constants, scores):
    """Rows of corners, score and class (1, boxes, 6): the scores are the value of that name, (boxes, 1)."""
    labels = np.arange(len(boxes), dtype=np.float32)[:, None]
    more = {"boxes": np.asarray(boxes, np.float32), "labels": labels, "all": np.asarray([1, len(boxes), 6], np.int64)}
    end = [helper.make_node("Concat", ["boxes", scores, "labels"], ["rows"], axis=1),
           helper.make_node("Reshape", ["rows", "all"], ["found"])]
    save(path, nodes + end, {**constants, **more}, size, [("found", [1, len(boxes), 6])])
