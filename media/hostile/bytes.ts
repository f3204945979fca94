/** Building blocks of containers, for creating malformed files. */

export const ascii = (text: string) => Buffer.from(text, 'latin1')
export const uint16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
export const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
export const uint64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/** An ISO media box: length, name, content. */
export function box(name: string, ...content: readonly Buffer[]): Buffer {
  const inner = Buffer.concat(content)
  return Buffer.concat([uint32(inner.length + 8), ascii(name), inner])
}

/** Creates a box with a wrong length. */
export const boxWithSize = (name: string, size: number, ...content: readonly Buffer[]) =>
  Buffer.concat([uint32(size), ascii(name), ...content])

/** A Matroska element: id, length in eight bytes, content. */
export function element(id: number, ...content: readonly Buffer[]): Buffer {
  const inner = Buffer.concat(content)
  const idBytes = Buffer.from(
    id
      .toString(16)
      .padStart(2, '0')
      .replace(/^(.(..)*)$/, '0$1'),
    'hex',
  )
  return Buffer.concat([idBytes, Buffer.from([0x01]), uint64(BigInt(inner.length)).subarray(1), inner])
}

/** Creates deterministic pseudo-random bytes (mulberry32). */
export function randomBytes(seed: number, length: number): Buffer {
  let state = seed >>> 0
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    bytes[at] = (mixed ^ (mixed >>> 14)) & 0xff
  }
  return bytes
}

/** Returns a copy of `source` with `bytes` written `offset` bytes after the start of the first `mark`. */
export function patched(source: Buffer, mark: string | Buffer, offset: number, bytes: Buffer): Buffer {
  const at = source.indexOf(mark)
  if (at < 0) throw new Error(`${mark} not found`)
  const copy = Buffer.from(source)
  bytes.copy(copy, at + offset)
  return copy
}

/** Names of boxes that contain other boxes. */
const parents = ['moov', 'trak', 'mdia', 'minf', 'dinf', 'stbl', 'udta']

/** Rewrites the boxes of a file. `edit` returns the replacement of a box; lengths of the parents are adjusted. */
export function editBoxes(file: Buffer, edit: (name: string, whole: Buffer) => Buffer | undefined): Buffer {
  const out: Buffer[] = []
  for (let at = 0; at + 8 <= file.length; ) {
    const size = file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + 8)
    const whole = file.subarray(at, at + size)
    const inner = parents.includes(name) ? box(name, editBoxes(whole.subarray(8), edit)) : whole
    out.push(edit(name, inner) ?? inner)
    at += Math.max(8, size)
  }
  return Buffer.concat(out)
}
