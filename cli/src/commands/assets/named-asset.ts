import { type Asset, type ListAssetsQuery, NotFoundError, type Reelkeep } from 'reelkeep'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { findByTitle } from '../find-by-title.ts'
import { ROOT, resolveFolder } from '../folders/resolve-folder.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** How many assets of one title are told apart. */
const CANDIDATES_MAX = 20

/** How an asset is named on the command line, for help texts. */
export const assetHelp = 'a path such as Lectures/2026/Opening, a title, or an id'

/** Who is logged in, and the asset that is meant. */
export async function namedAsset(
  cli: Cli,
  name: string,
): Promise<{ readonly reelkeep: Reelkeep; readonly id: string }> {
  const reelkeep = await connect(cli)
  return { reelkeep, id: uuidPattern.test(name) ? name : await idOf(reelkeep, name) }
}

async function idOf(reelkeep: Reelkeep, name: string): Promise<string> {
  const found = await assetsCalled(reelkeep, name)
  const [first, second] = found
  if (!first)
    throw new CommandError(
      `There is no asset ${name}.`,
      exitCodes.notFound,
      'See what there is: reelkeep assets list',
    )
  if (!second) return first.id
  throw new CommandError(
    `${found.length} assets are called ${name}.`,
    exitCodes.conflict,
    `Name the one you mean by its id: ${found.map(({ id }) => id).join(', ')}`,
  )
}

/** A title may hold a slash itself, so what is no path may still be a title. */
async function assetsCalled(reelkeep: Reelkeep, name: string): Promise<Asset[]> {
  const slash = name.lastIndexOf('/')
  if (slash >= 0) {
    const folder = await folderCalled(reelkeep, name.slice(0, slash))
    const found = folder ? await withTitle(reelkeep, name.slice(slash + 1), { folder }) : []
    if (found.length > 0) return found
  }
  return withTitle(reelkeep, name, {})
}

async function folderCalled(reelkeep: Reelkeep, path: string): Promise<string | undefined> {
  if (path === '') return ROOT
  try {
    return (await resolveFolder(reelkeep, path)) ?? ROOT
  } catch (error) {
    const isMissing = error instanceof CommandError && error.exitCode === exitCodes.notFound
    if (isMissing || error instanceof NotFoundError) return undefined
    throw error
  }
}

const withTitle = (reelkeep: Reelkeep, title: string, where: ListAssetsQuery) =>
  findByTitle(title, (q) => reelkeep.assets.list({ ...where, q }), { countMax: CANDIDATES_MAX })
