/**
 * The directory on disk, read and replaced as a whole. Concurrent readers see the old one or the new one, never a
 * part.
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

/** Sets the cell of an organization. Returns the new directory. */
export const writePlacement = (
  file: string,
  organizationId: OrganizationId,
  cell: CellName,
): Promise<Directory> =>
  change(file, (before) => ({
    ...before,
    organizations: { ...before.organizations, [organizationId]: cell },
  }))

/** Records the stage of a migration; undefined: it has ended. */
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

/** Runs `work` while the directory is locked. It must take milliseconds only, like a change. */
export async function onDirectory<Result>(
  file: string,
  work: (directory: Directory) => Result,
): Promise<Result> {
  using _lock = await lock(file)
  return work(readDirectory(file))
}

/**
 * Writes a new file, flushes it, and renames it. It keeps the mode of the old one, because it may contain secrets.
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600
  rmSync(beside, { force: true })
  try {
    onHandle(openSync(beside, 'wx', mode & 0o777), (handle) => {
      // Everything or an error: an almost full disk writes a part and reports success.
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
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'directory'}: ${message}`,
  )
  throw new DirectoryFault(file, problems)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DirectoryFault(file, [
      code === undefined ? 'directory: is not JSON' : `directory: cannot be read (${code})`,
    ])
  }
}

/** A change takes milliseconds; an older lock was left by a killed process. */
const LOCK_SECONDS_MAX = 10
const LOCK_TRIES_MAX = 200
const LOCK_PAUSE_MILLISECONDS = 100

/** Two migrations that end at the same time must not overwrite each other's change. */
async function lock(file: string): Promise<Disposable> {
  const path = `${file}.lock`
  for (let attempt = 0; attempt < LOCK_TRIES_MAX; attempt++) {
    const ours = tryLock(path)
    if (ours) return ours
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > LOCK_SECONDS_MAX * 1000) takeAway(path, found)
    await sleep(LOCK_PAUSE_MILLISECONDS)
  }
  throw new DirectoryFault(file, [
    `directory: ${path} exists; delete it if no process is writing the directory`,
  ])
}

function tryLock(path: string): Disposable | undefined {
  try {
    const handle = openSync(path, 'wx', 0o600)
    const ours = fstatSync(handle)
    closeSync(handle)
    // A process that took too long may have lost it to another one.
    const release = () => {
      if (isSameFile(statSync(path, { throwIfNoEntry: false }), ours)) rmSync(path, { force: true })
    }
    return { [Symbol.dispose]: release }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  }
}

/** If two processes find an old lock, the second may have renamed the first one's new lock: that is put back. */
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
