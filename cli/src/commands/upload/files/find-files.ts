/** Finds the files to upload: files given by their path, and with `--recursive` the videos in given folders. */
import type { Dirent, Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { CommandError, exitCodes } from '../../../exit-codes.ts'
import { printable } from '../../../terminal/width.ts'
import { foreignKindOf, isTransportStreamFile } from './file-kind.ts'

export type FoundFile = {
  /** Path as given, or the path below a given folder. */
  readonly path: string
  /** Absolute path with symbolic links resolved. */
  readonly realPath: string
  readonly sizeBytes: number
  readonly modifiedAtMilliseconds: number
  /** Titles of the target folders, outermost first; empty for a file given directly. */
  readonly folders: readonly string[]
}

/** A file that cannot be uploaded, with the reason. */
type SkippedFile = {
  readonly path: string
  readonly reason: string
  /** Error code for programs. */
  readonly code: string
  readonly exitCode: number
}

export type Found = {
  readonly files: readonly FoundFile[]
  readonly skipped: readonly SkippedFile[]
}

/** Extensions of files to upload from folders. A file given directly is uploaded whatever its extension. */
const videoExtensions = [
  ...['.3gp', '.avi', '.flv', '.m2ts', '.m4v', '.mkv', '.mov', '.mp4', '.mpeg', '.mpg', '.mts'],
  ...['.mxf', '.ogv', '.ts', '.vob', '.webm', '.wmv'],
]

/** Maximum folder depth of the service. */
const FOLDERS_DEEP_MAX = 32
/** Maximum number of files per command, to bound memory. */
const FILES_MAX = 10_000
/** Maximum number of folder entries to read; a folder with more was probably given by mistake. */
const ENTRIES_MAX = 1_000_000

export async function findFiles(
  paths: readonly string[],
  { isRecursive, ...options }: SearchOptions & { readonly isRecursive: boolean },
): Promise<Found> {
  const search = new Search(options)
  for (const path of paths) {
    const stats = await search.readStats(path, exitCodes.usage)
    if (stats?.isDirectory() && !isRecursive) search.skip(path, folderReason, exitCodes.usage)
    else if (stats?.isDirectory()) await search.walk(path, [basename(await realpath(path))])
    else if (stats) await search.take(path, stats, [])
  }
  return search
}

type SearchOptions = {
  /** Whether to include files that are certainly not videos. */
  readonly isAnyType: boolean
  readonly signal: AbortSignal
}

/** Why a file is skipped, as text for users and as a code for programs. */
type Reason = Pick<SkippedFile, 'reason' | 'code'>

const folderReason: Reason = {
  reason: 'is a folder. Use --recursive to upload the videos in it.',
  code: 'is_a_folder',
}
const notAFile: Reason = { reason: 'is not a regular file.', code: 'not_a_file' }
const emptyFile: Reason = { reason: 'is empty.', code: 'file_empty' }
const tooDeep: Reason = {
  reason: `is more than ${FOLDERS_DEEP_MAX} folders deep.`,
  code: 'folder_too_deep',
}

/** The error code is that of the service for such a file. */
const notAVideo = (kind: string): Reason => ({
  reason: `is ${kind}, not a video. Use --any-type to upload it anyway.`,
  code: 'not_a_video',
})

class Search implements Found {
  readonly files: FoundFile[] = []
  readonly skipped: SkippedFile[] = []
  readonly #seen = new Set<string>()
  #entries = 0
  readonly #options: SearchOptions

  constructor(options: SearchOptions) {
    this.#options = options
  }

  /**
   * Reads the stats of a path. A given path that cannot be read is a usage error; a found path may have been
   * deleted in the meantime.
   */
  async readStats(path: string, exitCode: number = exitCodes.failed): Promise<Stats | undefined> {
    try {
      return await stat(path)
    } catch (error) {
      this.skip(path, reasonOf(error), exitCode)
      return undefined
    }
  }

  async take(path: string, stats: Stats, folders: readonly string[]): Promise<void> {
    if (!stats.isFile()) return this.skip(path, notAFile)
    if (stats.size === 0) return this.skip(path, emptyFile)
    const realPath = await realpath(path)
    const key = JSON.stringify([realPath, folders])
    // A file given twice is uploaded once.
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    const foreignKind = this.#options.isAnyType ? undefined : await foreignKindOf(path)
    if (foreignKind) return this.skip(path, notAVideo(foreignKind), exitCodes.badOutcome)
    if (this.files.length >= FILES_MAX) throw tooMany(`more than ${FILES_MAX} files`)
    this.files.push({
      path,
      realPath,
      sizeBytes: stats.size,
      modifiedAtMilliseconds: stats.mtimeMs,
      folders,
    })
  }

  /**
   * Finds files in a folder. Skips hidden entries, and symbolic links, which may lead out of the folder or form
   * a cycle.
   */
  async walk(path: string, folders: readonly string[]): Promise<void> {
    if (folders.length > FOLDERS_DEEP_MAX) return this.skip(path, tooDeep)
    for (const entry of await this.#list(path)) {
      this.#options.signal.throwIfAborted()
      if (entry.name.startsWith('.')) continue
      const inner = join(path, entry.name)
      if (entry.isDirectory()) await this.walk(inner, [...folders, entry.name])
      else if (entry.isFile() && isVideo(entry.name)) {
        const stats = await this.readStats(inner)
        if (stats && !(await isSourceCode(inner))) await this.take(inner, stats, folders)
      }
    }
  }

  skip(path: string, reason: Reason, exitCode: number = exitCodes.failed): void {
    this.skipped.push({ path, ...reason, exitCode })
  }

  async #list(path: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(path, { withFileTypes: true })
      this.#entries += entries.length
      if (this.#entries > ENTRIES_MAX) throw tooMany(`more than ${ENTRIES_MAX} entries`)
      return entries.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    } catch (error) {
      if (error instanceof CommandError) throw error
      this.skip(path, reasonOf(error))
      return []
    }
  }
}

const isVideo = (name: string) => videoExtensions.includes(extname(name).toLowerCase())

/** Extensions that MPEG transport streams share with TypeScript files. */
const sharedExtensions = ['.ts', '.mts', '.m2ts']

const isSourceCode = async (path: string) =>
  sharedExtensions.includes(extname(path).toLowerCase()) && !(await isTransportStreamFile(path))

const tooMany = (what: string) =>
  new CommandError(`There are ${what}. Upload the subfolders separately.`, exitCodes.usage)

/** Explains why a file cannot be read. */
function reasonOf(error: unknown): Reason {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { reason: 'does not exist.', code: 'file_not_found' }
  if (code === 'EACCES' || code === 'EPERM')
    return { reason: 'cannot be read: permission denied.', code: 'file_not_readable' }
  const why = printable(error instanceof Error ? error.message : String(error))
  return { reason: `cannot be read: ${why}.`, code: 'file_not_readable' }
}
