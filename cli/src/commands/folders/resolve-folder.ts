import { type Folder, NotFoundError, type Reelkeep } from 'reelkeep'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { findByTitle } from '../find-by-title.ts'

const uuidPattern = /^[1-9A-HJ-NP-Za-km-z]{11}$/
/** Maximum number of levels in a path; more than the service allows. */
const LEVELS_MAX = 100
/** Maximum number of folders with the same title that are listed. */
const CANDIDATES_MAX = 20

export const ROOT = 'root'

export const folderHelp = 'path such as Lectures/2026, or uuid'

/**
 * Resolves a uuid, or a path from the root; null for `/` and `root`. A name that could be either is read as a uuid.
 * With a leading slash, it is read as a path.
 */
export async function resolveFolder(reelkeep: Reelkeep, name: string): Promise<string | null> {
  if (name === ROOT || /^\/+$/.test(name)) return null
  if (uuidPattern.test(name) && (await exists(reelkeep, name))) return name
  const titles = name.split('/').filter((title) => title !== '')
  let parent: string | null = null
  for (const [level, title] of titles.slice(0, LEVELS_MAX).entries())
    parent = await findChild(reelkeep, parent, { title, path: titles.slice(0, level + 1) })
  return parent
}

/** Like `resolveFolder`, but rejects the root. */
export async function requireFolder(reelkeep: Reelkeep, name: string): Promise<string> {
  const uuid = await resolveFolder(reelkeep, name)
  if (uuid !== null) return uuid
  throw new CommandError('This command does not accept the root folder.', exitCodes.usage)
}

async function exists(reelkeep: Reelkeep, uuid: string): Promise<boolean> {
  try {
    await reelkeep.folders.read(uuid)
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

async function findChild(
  reelkeep: Reelkeep,
  parent: string | null,
  { title, path }: { readonly title: string; readonly path: readonly string[] },
): Promise<string> {
  const found = await childrenWithTitle(reelkeep, parent, title)
  const [first, second] = found
  if (!first)
    throw new CommandError(
      `No such folder: ${path.join('/')}.`,
      exitCodes.notFound,
      'Show all folders: reelkeep folders tree',
    )
  if (!second) return first.uuid
  throw ambiguousFolder(path.join('/'), found)
}

/** Returns the folders with exactly this title in a folder; the service allows several. */
export const childrenWithTitle = (reelkeep: Reelkeep, parent: string | null, title: string): Promise<Folder[]> =>
  findByTitle(title, (q) => reelkeep.folders.list({ parent: parent ?? ROOT, q }), { countMax: CANDIDATES_MAX })

export const ambiguousFolder = (path: string, found: readonly Folder[]): CommandError =>
  new CommandError(
    `${found.length} folders have the path ${path}.`,
    exitCodes.conflict,
    `Use a uuid instead: ${found.map(({ uuid }) => uuid).join(', ')}`,
  )
