// The timing peer in ONNX Runtime: inference steps of a model file on random images.
//   node ort_step.mjs model.onnx BATCH CHANNELS SIZE THREADS
// Warms up, prints {"ready": true, ...}, then obeys lines on standard input: `step K` runs K steps and prints one JSON line, `answer IN.npy OUT.npy` writes the
// outputs for an array, `quit` ends. ONNXRUNTIME_FOLDER names the folder whose node_modules holds onnxruntime-node.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readNpy, writeNpy } from '../tests/onnxruntime/npy.mjs';

const require = createRequire(join(process.env.ONNXRUNTIME_FOLDER ?? process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const [model, batch, channels, size, threads] = process.argv.slice(2).map((word, i) => (i ? Number(word) : word));
const WARMUP = 2;

const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all', logSeverityLevel: 3,
});
const pixels = Float32Array.from({ length: batch * channels * size * size }, () => Math.random() * 2 - 1);
const images = new ort.Tensor('float32', pixels, [batch, channels, size, size]);

const run = (tensor) => session.run({ [session.inputNames[0]]: tensor });
const say = (object) => console.log(JSON.stringify(object));

async function step() {
    const start = process.hrtime.bigint();
    await run(images);
    return batch / (Number(process.hrtime.bigint() - start) / 1e9);
}

function median(values) {
    const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function steps(count) {
    const rates = [];
    for (let i = 0; i < count; i++) rates.push(await step());
    say({ images_per_second: median(rates), peak_resident_mb: process.resourceUsage().maxRSS / 1024 });
}

async function answer(from, to) {
    const { dims, data } = readNpy(from);
    const answers = await run(new ort.Tensor('float32', data, dims));
    writeNpy(to, answers[session.outputNames[0]]);
    say({ answered: to });
}

for (let i = 0; i < WARMUP; i++) await step();
say({ ready: true, version: require('onnxruntime-node/package.json').version });
for await (const line of createInterface({ input: process.stdin })) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'quit') break;
    if (word === 'step') await steps(Number(rest[0]));
    else if (word === 'answer') await answer(...rest);
    else say({ error: `not understood: ${line.trim()}` });
}
process.exit(0);
