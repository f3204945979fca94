/**
 * Which command is at something right now: a file that only one of them can create, and that it
 * touches as long as it lives.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'

export type Claim = AsyncDisposable & { readonly isMine: boolean }

const TOUCH_EVERY_MILLISECONDS = 10_000
/** Some touches may be late, on a machine with much to do. */
const UNTOUCHED_MILLISECONDS_MAX = 60_000
/** Others who find the same abandoned one may be quicker, but not for ever. */
const ATTEMPTS_MAX = 5

/** Homes are shared between machines, and numbers of processes are not. */
const myProcess = () => `${process.pid} ${hostname()}`

const notMine: Claim = { isMine: false, [Symbol.asyncDispose]: async () => {} }

export async function claim(file: string): Promise<Claim> {
  const mark = `${myProcess()} ${randomUUID()}\n`
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    if (await isCreated(file, mark)) return held(file, mark)
    const state = await stateOf(file)
    if (state === 'held') return notMine
    if (state === 'abandoned') await takeAway(file)
  }
  return notMine
}

async function isCreated(file: string, mark: string): Promise<boolean> {
  try {
    await writeFile(file, mark, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function held(file: string, mark: string): Claim {
  const touch = () => void utimes(file, new Date(), new Date()).catch(() => {})
  const timer = setInterval(touch, TOUCH_EVERY_MILLISECONDS).unref()
  return {
    isMine: true,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // One that slept for long may have lost it.
      const standing = await readFile(file, 'utf8').catch(() => undefined)
      if (standing === mark) await rm(file, { force: true }).catch(() => {})
    },
  }
}

/** Abandoned: its process is gone from this machine, or does not touch it any more and its number is another's. */
async function stateOf(file: string): Promise<'held' | 'abandoned' | 'absent'> {
  try {
    const { mtimeMs } = await stat(file)
    // One that was created this moment is empty.
    const [pid, host] = (await readFile(file, 'utf8')).trim().split(' ')
    const isGone = host === hostname() && !isRunning(Number(pid))
    return isGone || Date.now() - mtimeMs > UNTOUCHED_MILLISECONDS_MAX ? 'abandoned' : 'held'
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

/** By one at a time, who looks again: otherwise the second would take away what the first has just created. */
async function takeAway(file: string): Promise<void> {
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
