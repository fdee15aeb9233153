// Runs networks in ONNX Runtime:
//   node run.mjs model.onnx in.npy out.npy [model.onnx in.npy out.npy]...
// The batch is as in the file. ONNXRUNTIME_FOLDER names the folder whose node_modules holds onnxruntime-node.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readNpy, writeNpy } from './npy.mjs';

const require = createRequire(join(process.env.ONNXRUNTIME_FOLDER ?? process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };

async function run(model, from, to) {
    const session = await ort.InferenceSession.create(model, options);
    const { dims, data } = readNpy(from);
    const answer = await session.run({ [session.inputNames[0]]: new ort.Tensor('float32', data, dims) });
    writeNpy(to, answer[session.outputNames[0]]);
    await session.release();
}

const words = process.argv.slice(2);
if (words.length === 0 || words.length % 3 !== 0) {
    console.error('usage: node run.mjs model.onnx in.npy out.npy [model.onnx in.npy out.npy]...');
    process.exit(2);
}
try {
    for (let i = 0; i < words.length; i += 3) await run(...words.slice(i, i + 3));
} catch (error) {
    console.error(`${error.message ?? error}`);
    process.exit(1);
}
