import { NotFoundError, type Reelkeep } from 'reelkeep'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { findByTitle } from '../find-by-title.ts'

const uuidPattern = /^[1-9A-HJ-NP-Za-km-z]{11}$/
/** Deeper than the service lets folders be. */
const LEVELS_MAX = 100
/** How many folders of one title are told apart. */
const CANDIDATES_MAX = 20

export const ROOT = 'root'

/** How a folder is named on the command line, for help texts. */
export const folderHelp = 'a path such as Lectures/2026, or a uuid'

/**
 * The uuid of a folder that is named by itself or by its path from the root; null for `/` and
 * `root`. What could be either is read as a uuid; with a slash in front it is a path.
 */
export async function resolveFolder(reelkeep: Reelkeep, name: string): Promise<string | null> {
  if (name === ROOT || /^\/+$/.test(name)) return null
  if (uuidPattern.test(name) && (await exists(reelkeep, name))) return name
  const titles = name.split('/').filter((title) => title !== '')
  let parent: string | null = null
  for (const [level, title] of titles.slice(0, LEVELS_MAX).entries())
    parent = await childCalled(reelkeep, parent, { title, path: titles.slice(0, level + 1) })
  return parent
}

/** Like `resolveFolder`, where the root will not do. */
export async function requireFolder(reelkeep: Reelkeep, name: string): Promise<string> {
  const uuid = await resolveFolder(reelkeep, name)
  if (uuid !== null) return uuid
  throw new CommandError('The root is not a folder: it has no title and no place.', exitCodes.usage)
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

async function childCalled(
  reelkeep: Reelkeep,
  parent: string | null,
  { title, path }: { readonly title: string; readonly path: readonly string[] },
): Promise<string> {
  const found = await findByTitle(
    title,
    (q) => reelkeep.folders.list({ parent: parent ?? ROOT, q }),
    { countMax: CANDIDATES_MAX },
  )
  const [first, second] = found
  if (!first)
    throw new CommandError(
      `There is no folder ${path.join('/')}.`,
      exitCodes.notFound,
      'See what there is: reelkeep folders tree',
    )
  if (!second) return first.uuid
  throw new CommandError(
    `${found.length} folders are called ${path.join('/')}.`,
    exitCodes.conflict,
    `Name the one you mean by its uuid: ${found.map(({ uuid }) => uuid).join(', ')}`,
  )
}
