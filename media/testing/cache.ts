import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../../.stack/media')

/**
 * Maximum time to wait until another process has created a directory, longer than any recipe takes. Afterwards, the
 * waiting process creates the directory itself.
 */
const WAIT_SECONDS_MAX = 240
const POLL_MILLISECONDS = 200

/**
 * Creates a directory once, atomically, and keeps it until its recipe changes. Other processes wait while one
 * creates it. If two processes create it nevertheless, one result is discarded.
 */
export async function createOnce(
  name: string,
  recipe: unknown,
  create: (directory: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12)
  const directory = join(root, `${name}-${hash}`)
  if (existsSync(directory)) return directory
  await mkdir(dirname(directory), { recursive: true })
  const lock = `${directory}.maker`
  await waitOrLock(directory, lock)
  try {
    if (!existsSync(directory)) await createAtomically(directory, create)
  } finally {
    if (await isOurs(lock)) await rm(lock, { force: true })
  }
  return directory
}

async function createAtomically(directory: string, create: (directory: string) => Promise<void>) {
  const draft = await mkdtemp(`${directory}.draft-`)
  await create(draft)
  try {
    await rename(draft, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Takes the lock, or waits until another process has created the directory. The lock is a symbolic link to a
 * process in /proc: it is created atomically, and dangles if its owner is dead.
 */
async function waitOrLock(directory: string, lock: string): Promise<void> {
  const deadline = performance.now() + WAIT_SECONDS_MAX * 1000
  while (!existsSync(directory) && performance.now() < deadline) {
    const isLocked = await symlink(`/proc/${process.pid}`, lock).then(
      () => true,
      () => false,
    )
    if (isLocked) return
    if (!existsSync(lock)) await rm(lock, { force: true })
    await sleep(POLL_MILLISECONDS)
  }
}

const isOurs = async (lock: string) => (await readlink(lock).catch(() => '')) === `/proc/${process.pid}`
