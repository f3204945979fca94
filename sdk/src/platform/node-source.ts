/** Files of Node's: by their path, or as a Blob. They are read piece by piece, never as a whole. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { FileChangedError, FileError } from '../uploads/errors.ts'
import type { Range } from './transfer.ts'

/** Large enough that calls cost little, small enough that progress is seen. */
const PIECE_BYTES = 512 * 1024

/** Bytes that can be read from anywhere. */
export type Readable = {
  readonly name: string
  readonly bytes: number
  /** Into `buffer` if that helps; what is answered may lie elsewhere. Whole, or it throws. */
  readonly read: (buffer: Buffer, range: Range) => Promise<Uint8Array>
  readonly assertUnchanged: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openReadable = (file: string | Blob): Promise<Readable> =>
  typeof file === 'string' ? openPath(file) : Promise.resolve(ofBlob(file))

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
        if (size !== first.size) throw changed(path, `had ${bytes} bytes and now has ${size}`)
        if (mtimeNs !== first.mtimeNs) throw changed(path, 'was written to')
      },
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const changed = (path: string, what: string) =>
  new FileChangedError(`${path} ${what} while it was sent. Upload it again once it stays as it is.`)

/** A read may answer with less than was asked for; nothing at all means that the file has become shorter. */
async function readWhole(handle: FileHandle, buffer: Buffer, { begin, end }: Range, path: string) {
  const wanted = end - begin
  for (let got = 0; got < wanted; ) {
    const { bytesRead } = await handle.read(buffer, got, wanted - got, begin + got)
    if (bytesRead === 0) throw changed(path, 'became shorter')
    got += bytesRead
  }
  return buffer.subarray(0, wanted)
}

function ofBlob(blob: Blob): Readable {
  return {
    name: 'name' in blob && typeof blob.name === 'string' ? blob.name : '',
    bytes: blob.size,
    read: async (_, { begin, end }) =>
      new Uint8Array(await blob.slice(begin, end).arrayBuffer().catch(unreadable)),
    assertUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** A Blob of a file on disk notices by itself that the file is another one now. */
function unreadable(error: Error): never {
  throw new FileChangedError(
    `The file can no longer be read: ${error.message}. Did it change while it was sent?`,
    { cause: error },
  )
}

/**
 * The bytes of a range, in order. While one piece is used the next one is read; a piece is good
 * until the one after it is asked for.
 */
export async function* piecesOf(source: Readable, { begin, end }: Range) {
  const bytesMax = Math.min(PIECE_BYTES, end - begin)
  const buffers = [Buffer.allocUnsafeSlow(bytesMax), Buffer.allocUnsafeSlow(bytesMax)] as const
  const read = (from: number, turn: number) => {
    const reading = source.read(turn % 2 === 0 ? buffers[0] : buffers[1], {
      begin: from,
      end: Math.min(from + PIECE_BYTES, end),
    })
    // Whoever stops half-way does not wait for it any more.
    reading.catch(() => {})
    return reading
  }
  let reading = read(begin, 0)
  for (let [from, turn] = [begin, 1]; from < end; from += PIECE_BYTES, turn++) {
    const piece = await reading
    if (from + PIECE_BYTES < end) reading = read(from + PIECE_BYTES, turn)
    yield piece
  }
}

export async function md5Of(source: Readable, range: Range, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const piece of piecesOf(source, range)) {
    signal.throwIfAborted()
    hash.update(piece)
  }
  return hash.digest()
}
