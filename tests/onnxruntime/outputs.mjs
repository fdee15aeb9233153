// All outputs of networks in ONNX Runtime, as floats:
//   node outputs.mjs model.onnx in.npy prefix [model.onnx in.npy prefix]...
// writes prefix0.npy, prefix1.npy, ... in the order of the file. ONNXRUNTIME_FOLDER as in run.mjs.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readNpy, writeNpy } from './npy.mjs';

const require = createRequire(join(process.env.ONNXRUNTIME_FOLDER ?? process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };

async function run(model, from, prefix) {
    const session = await ort.InferenceSession.create(model, options);
    const { dims, data } = readNpy(from);
    const answer = await session.run({ [session.inputNames[0]]: new ort.Tensor('float32', data, dims) });
    session.outputNames.forEach((name, i) => {
        const tensor = answer[name];
        writeNpy(`${prefix}${i}.npy`, { dims: tensor.dims, data: Float32Array.from(tensor.data, Number) });
    });
    await session.release();
}

const words = process.argv.slice(2);
if (words.length === 0 || words.length % 3 !== 0) {
    console.error('usage: node outputs.mjs model.onnx in.npy prefix [model.onnx in.npy prefix]...');
    process.exit(2);
}
try {
    for (let i = 0; i < words.length; i += 3) await run(...words.slice(i, i + 3));
} catch (error) {
    console.error(`${error.message ?? error}`);
    process.exit(1);
}
