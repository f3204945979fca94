/** Reads files in Node, given as a path or a Blob, in chunks. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { FileChangedError, FileError } from '../uploads/errors.ts'
import type { Range } from './transfer.ts'

/** Size of a chunk: large enough to keep the number of calls low, small enough for smooth progress. */
const CHUNK_BYTES = 512 * 1024

/** Random-access source of bytes. */
export type Readable = {
  readonly name: string
  readonly bytes: number
  /** Reads the whole range, or throws. May use `buffer`, or return another one. */
  readonly read: (buffer: Buffer, range: Range) => Promise<Uint8Array>
  readonly assertUnchanged: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openReadable = (file: string | Blob): Promise<Readable> =>
  typeof file === 'string' ? openPath(file) : Promise.resolve(readableBlob(file))

async function openPath(path: string): Promise<Readable> {
  const handle = await open(path).catch((error: Error) => {
    throw new FileError(`${path} cannot be opened: ${error.message}.`, { cause: error })
  })
  try {
    const first = await handle.stat({ bigint: true })
    if (!first.isFile()) throw new FileError(`${path} is not a file.`)
    const bytes = Number(first.size)
    return {
      name: basename(path),
      bytes,
      read: (buffer, range) => readWhole(handle, buffer, range, path),
      assertUnchanged: async () => {
        const { size, mtimeNs } = await handle.stat({ bigint: true })
        if (size !== first.size) throw changedError(path, `had ${bytes} bytes and now has ${size}`)
        if (mtimeNs !== first.mtimeNs) throw changedError(path, 'was written to')
      },
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const changedError = (path: string, what: string) =>
  new FileChangedError(`${path} ${what} during the upload. Upload it again when it no longer changes.`)

/**
 * Reads until the buffer has the whole range, because a read may return fewer bytes. 0 bytes mean that the file has
 * become shorter.
 */
async function readWhole(handle: FileHandle, buffer: Buffer, { begin, end }: Range, path: string) {
  const bytesWanted = end - begin
  for (let got = 0; got < bytesWanted; ) {
    const { bytesRead } = await handle.read(buffer, got, bytesWanted - got, begin + got)
    if (bytesRead === 0) throw changedError(path, 'became shorter')
    got += bytesRead
  }
  return buffer.subarray(0, bytesWanted)
}

function readableBlob(blob: Blob): Readable {
  return {
    name: 'name' in blob && typeof blob.name === 'string' ? blob.name : '',
    bytes: blob.size,
    read: async (_, { begin, end }) => new Uint8Array(await blob.slice(begin, end).arrayBuffer().catch(unreadable)),
    assertUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** Handles the error of a Blob whose file on disk has changed. */
function unreadable(error: Error): never {
  throw new FileChangedError(
    `The file can no longer be read: ${error.message}. It may have changed during the upload.`,
    { cause: error },
  )
}

/**
 * Yields the bytes of a range in order, and reads ahead by one chunk. A chunk is valid until the next one is requested.
 */
export async function* readChunks(source: Readable, { begin, end }: Range) {
  const bytesMax = Math.min(CHUNK_BYTES, end - begin)
  const buffers = [Buffer.allocUnsafeSlow(bytesMax), Buffer.allocUnsafeSlow(bytesMax)] as const
  const read = (from: number, turn: number) => {
    const reading = source.read(turn % 2 === 0 ? buffers[0] : buffers[1], {
      begin: from,
      end: Math.min(from + CHUNK_BYTES, end),
    })
    // Prevents an unhandled rejection when the consumer stops early.
    reading.catch(() => {})
    return reading
  }
  let reading = read(begin, 0)
  for (let [from, turn] = [begin, 1]; from < end; from += CHUNK_BYTES, turn++) {
    const chunk = await reading
    if (from + CHUNK_BYTES < end) reading = read(from + CHUNK_BYTES, turn)
    yield chunk
  }
}

export async function md5Of(source: Readable, range: Range, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const chunk of readChunks(source, range)) {
    signal.throwIfAborted()
    hash.update(chunk)
  }
  return hash.digest()
}
