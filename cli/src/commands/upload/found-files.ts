/** Which files are meant: those that are named, and with `--recursive` the videos in folders. */
import type { Dirent, Stats } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { printable } from '../../terminal/width.ts'

export type FoundFile = {
  /** As it was named, or beneath the folder that was. */
  readonly path: string
  /** Wherever links on the way to it lead. */
  readonly realPath: string
  readonly sizeBytes: number
  readonly modifiedAtMilliseconds: number
  /** Titles of the folders that it goes into, outermost first; none for a file that was named itself. */
  readonly folders: readonly string[]
}

/** What was meant and cannot be sent, in a sentence. */
type LeftOut = {
  readonly path: string
  readonly reason: string
  /** For programs. */
  readonly code: string
  readonly exitCode: number
}

export type Found = { readonly files: readonly FoundFile[]; readonly leftOut: readonly LeftOut[] }

/**
 * In folders only these are taken. A file that is named itself is sent whatever its ending: the
 * service looks into it.
 */
const videoEndings = [
  ...['.3gp', '.avi', '.flv', '.m2ts', '.m4v', '.mkv', '.mov', '.mp4', '.mpeg', '.mpg', '.mts'],
  ...['.mxf', '.ogv', '.ts', '.vob', '.webm', '.wmv'],
]

/** The service nests folders no deeper. */
const FOLDERS_DEEP_MAX = 32
/** What one command takes: it keeps all of them in mind. */
const FILES_MAX = 10_000
/** Where so much lies that is no video, a folder was probably named by mistake. */
const ENTRIES_MAX = 1_000_000

export async function findFiles(
  paths: readonly string[],
  { isRecursive, signal }: { readonly isRecursive: boolean; readonly signal: AbortSignal },
): Promise<Found> {
  const search = new Search(signal)
  for (const path of paths) {
    const stats = await search.look(path, exitCodes.usage)
    if (stats?.isDirectory() && !isRecursive) search.leaveOut(path, isFolder, exitCodes.usage)
    else if (stats?.isDirectory()) await search.walk(path, [basename(await realpath(path))])
    else if (stats) await search.take(path, stats, [])
  }
  return search
}

/** Why something is left out, for people and for programs. */
type Reason = Pick<LeftOut, 'reason' | 'code'>

const isFolder: Reason = {
  reason: 'is a folder. Say --recursive to upload the videos in it.',
  code: 'is_a_folder',
}
const isNoFile: Reason = { reason: 'is no file that could be sent.', code: 'not_a_file' }
const isEmpty: Reason = { reason: 'is empty: there is nothing to send.', code: 'file_empty' }
const isTooDeep: Reason = {
  reason: `lies deeper than ${FOLDERS_DEEP_MAX} folders.`,
  code: 'folder_too_deep',
}

class Search implements Found {
  readonly files: FoundFile[] = []
  readonly leftOut: LeftOut[] = []
  readonly #taken = new Set<string>()
  #entries = 0
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Of what is named a command is at fault; what is found may have gone meanwhile. */
  async look(path: string, exitCode: number = exitCodes.failed): Promise<Stats | undefined> {
    try {
      return await stat(path)
    } catch (error) {
      this.leaveOut(path, reasonOf(error), exitCode)
      return undefined
    }
  }

  async take(path: string, stats: Stats, folders: readonly string[]): Promise<void> {
    if (!stats.isFile()) return this.leaveOut(path, isNoFile)
    if (stats.size === 0) return this.leaveOut(path, isEmpty)
    const realPath = await realpath(path)
    const place = JSON.stringify([realPath, folders])
    // Named twice, it is still sent once.
    if (this.#taken.has(place)) return
    this.#taken.add(place)
    if (this.files.length >= FILES_MAX) throw tooMuch(`more than ${FILES_MAX} files`)
    this.files.push({
      path,
      realPath,
      sizeBytes: stats.size,
      modifiedAtMilliseconds: stats.mtimeMs,
      folders,
    })
  }

  /** Hidden ones are skipped, links are not followed: they might lead out of the folder, or round in a circle. */
  async walk(path: string, folders: readonly string[]): Promise<void> {
    if (folders.length > FOLDERS_DEEP_MAX) return this.leaveOut(path, isTooDeep)
    for (const entry of await this.#list(path)) {
      this.#signal.throwIfAborted()
      if (entry.name.startsWith('.')) continue
      const inner = join(path, entry.name)
      if (entry.isDirectory()) await this.walk(inner, [...folders, entry.name])
      else if (entry.isFile() && isVideo(entry.name)) {
        const stats = await this.look(inner)
        if (stats && (await mayBeVideo(inner))) await this.take(inner, stats, folders)
      }
    }
  }

  leaveOut(path: string, reason: Reason, exitCode: number = exitCodes.failed): void {
    this.leftOut.push({ path, ...reason, exitCode })
  }

  async #list(path: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(path, { withFileTypes: true })
      this.#entries += entries.length
      if (this.#entries > ENTRIES_MAX) throw tooMuch(`more than ${ENTRIES_MAX} things`)
      return entries.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    } catch (error) {
      if (error instanceof CommandError) throw error
      this.leaveOut(path, reasonOf(error))
      return []
    }
  }
}

const isVideo = (name: string) => videoEndings.includes(extname(name).toLowerCase())

/**
 * Streams of packets share their ending with programs in TypeScript: each of their packets begins
 * with the same byte.
 */
const packets: Record<string, { readonly first: number; readonly bytes: number }> = {
  '.ts': { first: 0, bytes: 188 },
  '.mts': { first: 4, bytes: 192 },
  '.m2ts': { first: 4, bytes: 192 },
}
const PACKET_BEGINS_WITH = 0x47

/** One that cannot be read is taken: whoever sends it says why it cannot be. */
async function mayBeVideo(path: string): Promise<boolean> {
  const packet = packets[extname(path).toLowerCase()]
  if (!packet) return true
  const places = [packet.first, packet.first + packet.bytes]
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(packet.first + packet.bytes + 1))
    return places.every((place) => place < bytesRead && buffer[place] === PACKET_BEGINS_WITH)
  } catch {
    return true
  }
}

const tooMuch = (what: string) =>
  new CommandError(
    `There are ${what} to look at. Name the folders in them one after another.`,
    exitCodes.usage,
  )

/** Why a file cannot be read, for people. */
function reasonOf(error: unknown): Reason {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return { reason: 'is not there.', code: 'file_not_found' }
  if (code === 'EACCES' || code === 'EPERM')
    return { reason: 'may not be read by you.', code: 'file_not_readable' }
  const why = printable(error instanceof Error ? error.message : String(error))
  return { reason: `cannot be read: ${why}.`, code: 'file_not_readable' }
}
