/** MD5 (RFC 1321) for pages: Web Crypto does not have it, and it is what storage returns as the ETag of a part. */

const BLOCK_BYTES = 64
/** Bytes that are read at a time, few enough to keep a page responsive. */
const CHUNK_BYTES = 512 * 1024

/** A typed array that is only read within its bounds, where elements are never undefined. */
// biome-ignore lint/suspicious/noExplicitAny: a check of every element would make this several times slower.
type Words = { [index: number]: any; readonly length: number }

const K: Words = Int32Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32))

/** Adds one block, which starts at word `at`. The rounds are written out, because closures are five times slower. */
function addBlock(state: Words, words: Words, at: number): void {
  let a: number = state[0]
  let b: number = state[1]
  let c: number = state[2]
  let d: number = state[3]
  let sum = 0
  for (let i = 0; i < 16; i += 4) {
    sum = (a + ((b & c) | (~b & d)) + K[i] + words[at + i]) | 0
    a = (b + ((sum << 7) | (sum >>> 25))) | 0
    sum = (d + ((a & b) | (~a & c)) + K[i + 1] + words[at + i + 1]) | 0
    d = (a + ((sum << 12) | (sum >>> 20))) | 0
    sum = (c + ((d & a) | (~d & b)) + K[i + 2] + words[at + i + 2]) | 0
    c = (d + ((sum << 17) | (sum >>> 15))) | 0
    sum = (b + ((c & d) | (~c & a)) + K[i + 3] + words[at + i + 3]) | 0
    b = (c + ((sum << 22) | (sum >>> 10))) | 0
  }
  for (let i = 16; i < 32; i += 4) {
    sum = (a + ((d & b) | (~d & c)) + K[i] + words[at + ((5 * i + 1) & 15)]) | 0
    a = (b + ((sum << 5) | (sum >>> 27))) | 0
    sum = (d + ((c & a) | (~c & b)) + K[i + 1] + words[at + ((5 * i + 6) & 15)]) | 0
    d = (a + ((sum << 9) | (sum >>> 23))) | 0
    sum = (c + ((b & d) | (~b & a)) + K[i + 2] + words[at + ((5 * i + 11) & 15)]) | 0
    c = (d + ((sum << 14) | (sum >>> 18))) | 0
    sum = (b + ((a & c) | (~a & d)) + K[i + 3] + words[at + ((5 * i + 16) & 15)]) | 0
    b = (c + ((sum << 20) | (sum >>> 12))) | 0
  }
  for (let i = 32; i < 48; i += 4) {
    sum = (a + (b ^ c ^ d) + K[i] + words[at + ((3 * i + 5) & 15)]) | 0
    a = (b + ((sum << 4) | (sum >>> 28))) | 0
    sum = (d + (a ^ b ^ c) + K[i + 1] + words[at + ((3 * i + 8) & 15)]) | 0
    d = (a + ((sum << 11) | (sum >>> 21))) | 0
    sum = (c + (d ^ a ^ b) + K[i + 2] + words[at + ((3 * i + 11) & 15)]) | 0
    c = (d + ((sum << 16) | (sum >>> 16))) | 0
    sum = (b + (c ^ d ^ a) + K[i + 3] + words[at + ((3 * i + 14) & 15)]) | 0
    b = (c + ((sum << 23) | (sum >>> 9))) | 0
  }
  for (let i = 48; i < 64; i += 4) {
    sum = (a + (c ^ (b | ~d)) + K[i] + words[at + ((7 * i) & 15)]) | 0
    a = (b + ((sum << 6) | (sum >>> 26))) | 0
    sum = (d + (b ^ (a | ~c)) + K[i + 1] + words[at + ((7 * i + 7) & 15)]) | 0
    d = (a + ((sum << 10) | (sum >>> 22))) | 0
    sum = (c + (a ^ (d | ~b)) + K[i + 2] + words[at + ((7 * i + 14) & 15)]) | 0
    c = (d + ((sum << 15) | (sum >>> 17))) | 0
    sum = (b + (d ^ (c | ~a)) + K[i + 3] + words[at + ((7 * i + 21) & 15)]) | 0
    b = (c + ((sum << 21) | (sum >>> 11))) | 0
  }
  state[0] += a
  state[1] += b
  state[2] += c
  state[3] += d
}

/** Adds whole blocks from the beginning of a buffer. Browsers and servers are little-endian, as MD5 is. */
function addBlocks(state: Int32Array, buffer: ArrayBuffer, bytes: number): void {
  const words = new Int32Array(buffer, 0, bytes / 4)
  for (let at = 0; at < words.length; at += BLOCK_BYTES / 4) addBlock(state, words, at)
}

/** Returns the last blocks: the remaining bytes, a one, zeros, and the length in bits. */
function paddedEnd(rest: Uint8Array, totalBytes: number): ArrayBuffer {
  const padded = new Uint8Array(Math.ceil((rest.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(rest)
  padded[rest.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, (totalBytes * 8) % 2 ** 32, true)
  view.setUint32(padded.length - 4, Math.floor((totalBytes * 8) / 2 ** 32), true)
  return padded.buffer
}

/** MD5 of a Blob in hexadecimal. */
export async function md5Of(blob: Blob, signal?: AbortSignal): Promise<string> {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  let rest = new Uint8Array()
  for (let begin = 0; begin < blob.size; begin += CHUNK_BYTES) {
    signal?.throwIfAborted()
    const chunk = await blob.slice(begin, begin + CHUNK_BYTES).arrayBuffer()
    const wholeBytes = chunk.byteLength - (chunk.byteLength % BLOCK_BYTES)
    addBlocks(state, chunk, wholeBytes)
    rest = new Uint8Array(chunk, wholeBytes)
  }
  const end = paddedEnd(rest, blob.size)
  addBlocks(state, end, end.byteLength)
  return [...new Uint8Array(state.buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
