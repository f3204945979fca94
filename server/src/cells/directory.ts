/**
 * The cells file, read and replaced as a whole. Concurrent readers see the old one or the new one, never a part.
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
import type { CellName, Directory, MoveEntry } from './directory.rules.ts'
import { DirectoryError, type DirectoryFile, fileSchema, resolveDirectory } from './directory-format.ts'

export { DirectoryError }

export const readDirectory = (file: string): Directory => resolveDirectory(readContents(file), file)

/** Sets the cell of an organization. Returns the new contents of the cells file. */
export const writePlacement = (file: string, organizationId: OrganizationId, cell: CellName): Promise<Directory> =>
  change(file, (before) => ({
    ...before,
    organizations: { ...before.organizations, [organizationId]: cell },
  }))

/** Records the stage of a migration. If `move` is undefined, removes the entry of a migration that has ended. */
export const writeMove = (
  file: string,
  organizationId: OrganizationId,
  move: MoveEntry | undefined,
): Promise<Directory> =>
  change(file, ({ moves: { [organizationId]: _, ...others }, ...before }) => ({
    ...before,
    moves: move ? { ...others, [organizationId]: move } : others,
  }))

async function change(file: string, changed: (before: DirectoryFile) => DirectoryFile): Promise<Directory> {
  using _lock = await lock(file)
  const before = readContents(file)
  const after = { ...changed(before), version: before.version + 1 }
  const directory = resolveDirectory(after, file)
  replaceFile(file, `${JSON.stringify(after, undefined, 2)}\n`)
  return directory
}

/** Runs `work` while the cells file is locked. `work` must take only milliseconds. */
export async function withDirectoryLock<Result>(file: string, work: (directory: Directory) => Result): Promise<Result> {
  using _lock = await lock(file)
  return work(readDirectory(file))
}

/**
 * Replaces a file atomically: writes a new file, flushes it and renames it. The new file has the mode of the old one,
 * because the cells file may contain secrets.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.new`
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600
  rmSync(temporary, { force: true })
  try {
    onHandle(openSync(temporary, 'wx', mode & 0o777), (handle) => {
      // `writeFileSync` writes everything or throws. On an almost full disk, `writeSync` writes a part and reports
      // success.
      writeFileSync(handle, text)
      fsyncSync(handle)
    })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
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

function readContents(file: string): DirectoryFile {
  const parsed = fileSchema.safeParse(readJson(file))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'cells file'}: ${message}`)
  throw new DirectoryError(file, problems)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DirectoryError(file, [
      code === undefined ? 'cells file: is not JSON' : `cells file: cannot be read (${code})`,
    ])
  }
}

/** Maximum age of a lock. A change takes milliseconds, so an older lock was left by a killed process. */
const LOCK_SECONDS_MAX = 10
const LOCK_ATTEMPTS_MAX = 200
const LOCK_PAUSE_MILLISECONDS = 100

/** Locks the cells file, so that two migrations that end at the same time do not overwrite each other's change. */
async function lock(file: string): Promise<Disposable> {
  const path = `${file}.lock`
  for (let attempt = 0; attempt < LOCK_ATTEMPTS_MAX; attempt++) {
    const acquired = tryLock(path)
    if (acquired) return acquired
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > LOCK_SECONDS_MAX * 1000) removeStaleLock(path, found)
    await sleep(LOCK_PAUSE_MILLISECONDS)
  }
  throw new DirectoryError(file, [`cells file: ${path} exists; delete it if no process is writing the cells file`])
}

function tryLock(path: string): Disposable | undefined {
  try {
    const handle = openSync(path, 'wx', 0o600)
    const created = fstatSync(handle)
    closeSync(handle)
    // If this process took too long, another process may have removed the lock as stale and created its own.
    const release = () => {
      if (isSameFile(statSync(path, { throwIfNoEntry: false }), created)) rmSync(path, { force: true })
    }
    return { [Symbol.dispose]: release }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  }
}

/** If two processes find a stale lock, the second may rename the new lock of the first. That lock is put back. */
function removeStaleLock(path: string, old: Stats): void {
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

const isSameFile = (one: Stats | undefined, other: Stats) => one?.ino === other.ino && one.mtimeMs === other.mtimeMs
