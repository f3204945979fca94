/** Reads audio samples in small windows, with constant memory. */
import { createReadStream } from 'node:fs'
import { BYTES_PER_SAMPLE } from './transcriber.ts'

/** Number of bytes per read, two seconds of audio. */
const READ_BYTES = 65_536

/** Yields windows of samples from -1 to 1. The last window is padded with silence. */
export async function* readWindows(path: string, windowSamples: number): AsyncGenerator<Float32Array, void, undefined> {
  let window = new Float32Array(windowSamples)
  let filled = 0
  for await (const samples of readSamples(path)) {
    for (const sample of samples) {
      window[filled++] = sample / 32_768
      if (filled < windowSamples) continue
      yield window
      window = new Float32Array(windowSamples)
      filled = 0
    }
  }
  if (filled > 0) yield window
}

/** Yields whole samples, although a chunk may end within a sample. */
async function* readSamples(path: string): AsyncGenerator<Int16Array, void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const read of createReadStream(path, { highWaterMark: READ_BYTES })) {
    const bytes = rest.length === 0 ? (read as Buffer) : Buffer.concat([rest, read as Buffer])
    const whole = bytes.length - (bytes.length % BYTES_PER_SAMPLE)
    yield Int16Array.from({ length: whole / BYTES_PER_SAMPLE }, (_, index) =>
      bytes.readInt16LE(index * BYTES_PER_SAMPLE),
    )
    rest = bytes.subarray(whole)
  }
}
