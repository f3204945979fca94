import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../.stack/media')

/**
 * A directory that is made once and kept until its recipe changes. It appears whole or not at all; of two that make it at the same
 * time, one is thrown away.
 */
export async function madeOnce(
  name: string,
  recipe: unknown,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12)
  const directory = join(root, `${name}-${hash}`)
  if (existsSync(directory)) return directory
  await mkdir(dirname(directory), { recursive: true })
  const draft = await mkdtemp(`${directory}.draft-`)
  await make(draft)
  try {
    await rename(draft, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
    await rm(draft, { recursive: true, force: true })
  }
  return directory
}
