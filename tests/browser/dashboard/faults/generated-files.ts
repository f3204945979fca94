/** Files that need little space on the disk: zeros, except for a different beginning, middle and end. */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const MARK_BYTES = 4096
/** Size of a part; smaller files are sent as one object. */
const PART_BYTES = 16 * 1024 ** 2

export type GeneratedFile = { readonly name: string; readonly path: string; readonly bytes: number }

export async function generateFile(folder: string, name: string, bytes: number): Promise<GeneratedFile> {
  const path = join(folder, name)
  const file = await open(path, 'w')
  try {
    await file.truncate(bytes)
    for (const position of [0, Math.floor(bytes / 2), bytes - MARK_BYTES])
      await file.write(randomBytes(MARK_BYTES), 0, MARK_BYTES, Math.max(0, position))
  } finally {
    await file.close()
  }
  const { size } = await open(path).then(async (opened) => {
    await using handle = opened
    return await handle.stat()
  })
  return { name, path, bytes: size }
}

/** The ETags that storage may return for the file: of one object, and of an object in parts. */
export async function etagsOf({ path, bytes }: GeneratedFile): Promise<readonly string[]> {
  const digests: Buffer[] = []
  const whole = createHash('md5')
  for (let begin = 0; begin < bytes; begin += PART_BYTES) {
    const part = createHash('md5')
    for await (const chunk of createReadStream(path, { start: begin, end: Math.min(begin + PART_BYTES, bytes) - 1 })) {
      part.update(chunk as Buffer)
      whole.update(chunk as Buffer)
    }
    digests.push(part.digest())
  }
  const joined = createHash('md5').update(Buffer.concat(digests)).digest('hex')
  return [whole.digest('hex'), `${joined}-${digests.length}`]
}
