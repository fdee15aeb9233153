// Arrays of floats in NumPy's format: { dims, data }. Whole numbers are written as floats.
import { readFileSync, writeFileSync } from 'node:fs';

const MAGIC = '\x93NUMPY';

export function readNpy(path) {
    const file = readFileSync(path);
    if (file.toString('latin1', 0, 6) !== MAGIC) throw new Error(`${path} is no .npy file`);
    const isLong = file[6] > 1;
    const start = isLong ? 12 : 10;
    const end = start + (isLong ? file.readUInt32LE(8) : file.readUInt16LE(8));
    const header = file.toString('latin1', start, end);
    if (!/'descr': *'<f4'/.test(header) || /'fortran_order': *True/.test(header))
        throw new Error(`${path} does not hold little-endian floats in C order`);
    const dims = (/'shape': *\(([^)]*)\)/.exec(header)?.[1] ?? '').split(',').filter((d) => d.trim()).map(Number);
    const count = dims.reduce((a, b) => a * b, 1);
    return { dims, data: new Float32Array(file.buffer.slice(file.byteOffset + end, file.byteOffset + end + 4 * count)) };
}

export function writeNpy(path, { dims, data: given }) {
    const data = given instanceof Float32Array ? given : Float32Array.from(given, Number);
    const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
    const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`;
    const header = text.padEnd(Math.ceil((10 + text.length + 1) / 64) * 64 - 11) + '\n';
    const lead = Buffer.alloc(10);
    lead.write(MAGIC, 'latin1');
    lead[6] = 1;
    lead.writeUInt16LE(header.length, 8);
    writeFileSync(path, Buffer.concat([lead, Buffer.from(header, 'latin1'), Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}
