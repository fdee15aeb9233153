#!/bin/sh
# Model files of other programs, and what is no file at all: each is named, at once and in every command that takes a model,
# and a line to copy says how to come by a file that can be read.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
command -v python3 >/dev/null || { echo "there is no python3 to write the files with"; exit 77; }

python3 - "$work" <<'END'
import gzip, io, os, pickle, struct, sys, zipfile

work = sys.argv[1]


def write(name, data):
    with open(os.path.join(work, name), "wb") as f:
        f.write(data)


def archive(name, *entries, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(os.path.join(work, name), "w", method) as z:
        for entry in entries:
            z.writestr(entry, b"x" * 3000)


archive("new.pth", "archive/data.pkl", "archive/byteorder", "archive/data/0", "archive/version")
archive("model.bin", "resnet/data.pkl", "resnet/data/0")
archive("script.pt", "net/data.pkl", "net/code/__torch__.py", "net/constants.pkl", "net/version")
archive("exported.pt2", "net/archive_format", "net/models/model.json")
archive("model.keras", "metadata.json", "config.json", "model.weights.h5")
archive("weights.npz", "a.npy", "b.npy")
archive("plain.zip", "readme.txt", method=zipfile.ZIP_DEFLATED)
with open(os.path.join(work, "new.pth"), "rb") as f:
    write("half.pth", f.read()[:4000])
write("old.pth", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.")
write("some.pth", pickle.dumps({"state": 1}, 2))
write("some.pkl", pickle.dumps({"state": 1}, 4))
write("zeros.pt", bytes(5000))
write("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(500))
write("hidden", b"\x89HDF\r\n\x1a\n" + bytes(500))
write("model.tflite", b"\x1c\0\0\0TFL3" + bytes(500))
write("saved_model.pb", b"\x08\x01\x12\xa4\x04\x0a\x10" + bytes(500))
write("frozen.pb", b"\x0a\x30\x0a\x05input\x12\x0bPlaceholder" + bytes(500))
write("net.engine", b"ptrt" + bytes(500))
write("other.engine", b"\x20\x01\0\0{\"stride\": 32}" + bytes(500))
write("model.onnx.gz", gzip.compress(b"model"))
write("quo'te.pth", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
write("tarred", bytes(257) + b"ustar\0" + bytes(400))
END

# named FILE WHAT ADVICE
named() {
    expect 1 "^tips: .*$1: is $2; ONNX and .safetensors are read\. .*$3" info "$work/$1"
    [ "$(wc -l <"$work/output")" = 1 ] || complain "$1: more than one line"
}

torch='a PyTorch checkpoint'
export="torch.load('.*\\.pth', map_location='cpu')); torch.onnx.export(m.eval(), torch.zeros(1, 3, 224, 224), '.*\\.onnx')\"\$"
named new.pth "$torch" "$export"
named half.pth "$torch" "$export"
named old.pth "$torch" "$export"
named some.pth "$torch" "$export"
named model.bin "$torch" 'torch.onnx.export'
named zeros.pt "$torch" 'torch.onnx.export'
named script.pt 'a TorchScript archive' 'torch.jit.load'
named exported.pt2 'a program of torch.export' 'torch.export.load'
named model.keras 'a Keras model' "keras.saving.load_model('.*model.keras').export('.*model.onnx'"
named weights.npz 'an archive of NumPy arrays' 'save_file'
named plain.zip 'a zip archive' 'Unpack'
named some.pkl 'a Python pickle' 'torch.load'
named model.h5 'an HDF5 file, as Keras writes' 'load_model'
named hidden 'an HDF5 file, as Keras writes' "export('.*/hidden.onnx'"
named model.tflite 'a TensorFlow Lite model' "tf2onnx.convert --tflite '.*model.tflite' --output '.*model.onnx'"
named saved_model.pb 'a SavedModel of TensorFlow' '--saved-model'
named frozen.pb 'a frozen graph of TensorFlow' '--graphdef'
named net.engine 'a TensorRT engine' 'built from'
named other.engine 'a TensorRT engine' 'built from'
named model.onnx.gz 'compressed by gzip' 'Unpack'
named tarred 'a tar archive' 'Unpack'
named "quo'te.pth" "$torch" "torch.load('model'"

# Every command that takes a model.
data='--data shapes:size=16,train=24,test=6,classes=3'
# shellcheck disable=SC2086 # the flags are words
for file in new.pth model.h5; do
    what='is \(a PyTorch checkpoint\|an HDF5 file, as Keras writes\);'
    expect 1 "$what" verify --model "$work/$file"
    expect 1 "$what" verify --weights "$work/$file"
    expect 1 "$what" eval --model "$work/$file" $data
    expect 1 "$what" audit "$work/$file" $data
    expect 1 "$what" predict --model "$work/$file" picture.png
    expect 1 "$what" export --model "$work/$file" -o "$work/out.onnx"
    expect 1 "$what" convert "$work/$file" --out "$work/out.safetensors"
    expect 1 "$what" init --weights "$work/$file" --out "$work/out.safetensors"
    expect 1 "$what" train --arch tiny --init "$work/$file" $data --out "$work/run"
    expect 1 "$what" train --arch tiny --weights "$work/$file" $data --out "$work/run"
    expect 1 "$what" train --arch tiny --teacher "$work/$file" $data --out "$work/run"
done

# What is no file is refused without waiting for it.
mkfifo "$work/pipe"
expect 1 'pipe: is a pipe' predict --arch tiny "$work/pipe"
mkdir "$work/saved"
cp "$work/saved_model.pb" "$work/saved"
"$tips" init --arch tiny --width 8 --size 16 --classes 3 --out "$work/model.safetensors" >/dev/null
expect 1 'pipe: is a pipe, not a regular file' info "$work/pipe"
expect 1 'zero: is a device, not a regular file' info /dev/zero
expect 1 ': is a folder, not a regular file' info "$source"
expect 1 'saved: is a SavedModel of TensorFlow' info "$work/saved"
expect 1 'pipe: is a pipe, not a regular file' verify --weights "$work/pipe"
# shellcheck disable=SC2086
for file in "$work/pipe" /dev/zero "$source"; do
    expect 1 'is a \(pipe\|device\|folder\), not a regular file' eval --model "$work/model.safetensors" $data --labels "$file"
done

# A label file that an editor saved with a mark before its first letter, and one in two bytes a letter.
printf 'P6\n1 1\n255\n123' >"$work/dot.ppm"
printf '\357\273\277one\n\357\273\277two\nthree\n' >"$work/labels.txt"
expect 0 '"name": "one"' predict --model "$work/model.safetensors" "$work/dot.ppm" --labels "$work/labels.txt" --top 3 --json
grep -q '"name": "two"' "$work/output" && complain "a mark inside a label file is skipped"
printf '\377\376o\0n\0e\0' >"$work/wide.txt"
expect 1 'wide.txt: is text in UTF-16; save it as UTF-8' predict --model "$work/model.safetensors" "$work/dot.ppm" \
    --labels "$work/wide.txt"

# Names alone condemn nothing.
cp "$work/model.safetensors" "$work/model.pt"
expect 0 '^architecture  tiny' info "$work/model.pt"
cp "$source/tests/fuzz/corpus/onnx/block13.onnx" "$work/onnx.pth"
if built_with protobuf-c; then expect 0 'architecture  graph' info "$work/onnx.pth"; fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
