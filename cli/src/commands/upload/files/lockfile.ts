/** A lock file: only one command can create it, and its owner touches it while it runs. */
import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'

export type Lock = AsyncDisposable & { readonly isAcquired: boolean }

const TOUCH_EVERY_MILLISECONDS = 10_000
/** Age after which a lock counts as abandoned. It tolerates late touches on a busy machine. */
const UNTOUCHED_MILLISECONDS_MAX = 60_000
/** Maximum number of attempts to get the lock. An attempt fails if another command replaces an abandoned lock first. */
const ATTEMPTS_MAX = 5

/** Identifies this process. Home folders may be shared between machines, so the pid alone is not unique. */
const myProcess = () => `${process.pid} ${hostname()}`

const notAcquired: Lock = { isAcquired: false, [Symbol.asyncDispose]: async () => {} }

export async function acquireLock(file: string): Promise<Lock> {
  const content = `${myProcess()} ${randomUUID()}\n`
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    if (await isCreated(file, content)) return heldLock(file, content)
    const state = await stateOf(file)
    if (state === 'locked') return notAcquired
    if (state === 'abandoned') await removeAbandoned(file)
  }
  return notAcquired
}

async function isCreated(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function heldLock(file: string, content: string): Lock {
  const touch = () => void utimes(file, new Date(), new Date()).catch(() => {})
  const timer = setInterval(touch, TOUCH_EVERY_MILLISECONDS).unref()
  return {
    isAcquired: true,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // If the machine was suspended for a long time, another command may have taken the lock.
      const standing = await readFile(file, 'utf8').catch(() => undefined)
      if (standing === content) await rm(file, { force: true }).catch(() => {})
    },
  }
}

/**
 * Reads the state of a lock. It is abandoned if its process no longer runs on this machine, or if it has not
 * been touched for too long.
 */
async function stateOf(file: string): Promise<'locked' | 'abandoned' | 'absent'> {
  try {
    const { mtimeMs } = await stat(file)
    // A lock file that was just created is still empty.
    const [pid, host] = (await readFile(file, 'utf8')).trim().split(' ')
    const isGone = host === hostname() && !isRunning(Number(pid))
    return isGone || Date.now() - mtimeMs > UNTOUCHED_MILLISECONDS_MAX ? 'abandoned' : 'locked'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent'
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Removes an abandoned lock. Only one command at a time does this, and it checks again; otherwise it might
 * remove a new lock.
 */
async function removeAbandoned(file: string): Promise<void> {
  const guard = `${file}.taken-away`
  if (!(await isCreated(guard, `${myProcess()}\n`))) {
    if ((await stateOf(guard)) === 'abandoned') await rm(guard, { force: true })
    return
  }
  try {
    if ((await stateOf(file)) === 'abandoned') await rm(file, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}
