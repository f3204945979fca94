/**
 * The directory on disk: read as a whole, replaced as a whole. Whoever reads it meanwhile has the
 * old one or the new one, never a part.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../kernel/ids.ts'
import type { CellName, Directory, UnderWay } from './directory.rules.ts'
import {
  completed,
  DirectoryFault,
  type WrittenDirectory,
  writtenDirectory,
} from './directory-form.ts'

export { DirectoryFault }

export const readDirectory = (file: string): Directory => completed(readWritten(file), file)

/** Says that an organization lives in a cell from now on. Answers the new directory. */
export const writePlacement = (
  file: string,
  organizationId: OrganizationId,
  cell: CellName,
): Promise<Directory> =>
  change(file, (before) => ({
    ...before,
    organizations: { ...before.organizations, [organizationId]: cell },
  }))

/** Notes how far a move has come; undefined: it is over. */
export const writeMove = (
  file: string,
  organizationId: OrganizationId,
  move: UnderWay | undefined,
): Promise<Directory> =>
  change(file, ({ moves: { [organizationId]: _, ...others }, ...before }) => ({
    ...before,
    moves: move ? { ...others, [organizationId]: move } : others,
  }))

async function change(
  file: string,
  changed: (before: WrittenDirectory) => WrittenDirectory,
): Promise<Directory> {
  using _lock = await lock(file)
  const before = readWritten(file)
  const after = { ...changed(before), version: before.version + 1 }
  const directory = completed(after, file)
  replaceFile(file, `${JSON.stringify(after, undefined, 2)}\n`)
  return directory
}

/** As the directory is while nobody can change it. The work takes milliseconds, as a change does. */
export async function onDirectory<Result>(
  file: string,
  work: (directory: Directory) => Result,
): Promise<Result> {
  using _lock = await lock(file)
  return work(readDirectory(file))
}

/**
 * Written beside it, brought to the disk, and then renamed. It is as private as the one before, for
 * it may hold secrets.
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600
  rmSync(beside, { force: true })
  try {
    onHandle(openSync(beside, 'wx', mode & 0o777), (handle) => {
      // All of it or a fault: a disk that is almost full takes a part, and calls that success.
      writeFileSync(handle, text)
      fsyncSync(handle)
    })
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
  onHandle(openSync(dirname(file), 'r'), fsyncSync)
}

function onHandle(handle: number, work: (handle: number) => void): void {
  try {
    work(handle)
  } finally {
    closeSync(handle)
  }
}

function readWritten(file: string): WrittenDirectory {
  const parsed = writtenDirectory.safeParse(readJson(file))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'it'}: ${message}`,
  )
  throw new DirectoryFault(file, faults)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DirectoryFault(file, [
      code === undefined ? 'it: is no JSON' : `it: cannot be read (${code})`,
    ])
  }
}

/** A change takes milliseconds; a lock that is older than this was left by a process that was killed. */
const LOCK_SECONDS_MAX = 10
const LOCK_TRIES_MAX = 200
const LOCK_PAUSE_MILLISECONDS = 100

/** Two moves that end at the same time must not each take the other's line out again. */
async function lock(file: string): Promise<Disposable> {
  const path = `${file}.lock`
  for (let attempt = 0; attempt < LOCK_TRIES_MAX; attempt++) {
    const ours = tryLock(path)
    if (ours) return ours
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > LOCK_SECONDS_MAX * 1000) takeAway(path, found)
    await sleep(LOCK_PAUSE_MILLISECONDS)
  }
  throw new DirectoryFault(file, [`it: ${path} is there; delete it if nobody writes the directory`])
}

function tryLock(path: string): Disposable | undefined {
  try {
    const handle = openSync(path, 'wx', 0o600)
    const ours = fstatSync(handle)
    closeSync(handle)
    // One that took too long may have lost it to somebody else, whose it is then.
    const release = () => {
      if (isSameFile(statSync(path, { throwIfNoEntry: false }), ours)) rmSync(path, { force: true })
    }
    return { [Symbol.dispose]: release }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  }
}

/**
 * Of two that find an old lock, the second may find that the first has taken it away and made its
 * own: that one is put back.
 */
function takeAway(path: string, old: Stats): void {
  const aside = `${path}.${crypto.randomUUID()}`
  try {
    renameSync(path, aside)
    if (!isSameFile(statSync(aside), old)) linkSync(aside, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'EEXIST'].includes(code)) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

const isSameFile = (one: Stats | undefined, other: Stats) =>
  one?.ino === other.ino && one.mtimeMs === other.mtimeMs
