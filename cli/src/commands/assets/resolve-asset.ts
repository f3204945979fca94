import { type Asset, type ListAssetsQuery, NotFoundError, type Reelkeep } from 'reelkeep'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { findByTitle } from '../find-by-title.ts'
import { ROOT, resolveFolder } from '../folders/resolve-folder.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Maximum number of assets with the same title that are listed. */
const CANDIDATES_MAX = 20

export const assetHelp = 'path such as Lectures/2026/Opening, title, or id'

/** Connects, and resolves the asset argument to an id. */
export async function resolveAsset(
  cli: Cli,
  name: string,
): Promise<{ readonly reelkeep: Reelkeep; readonly id: string }> {
  const reelkeep = await connect(cli)
  return { reelkeep, id: uuidPattern.test(name) ? name : await idOf(reelkeep, name) }
}

async function idOf(reelkeep: Reelkeep, name: string): Promise<string> {
  const found = await findAssets(reelkeep, name)
  const [first, second] = found
  if (!first)
    throw new CommandError(`No such asset: ${name}.`, exitCodes.notFound, 'List all assets: reelkeep assets list')
  if (!second) return first.id
  throw new CommandError(
    `${found.length} assets have the title ${name}.`,
    exitCodes.conflict,
    `Use an id instead: ${found.map(({ id }) => id).join(', ')}`,
  )
}

/** A title may contain a slash, so the whole name is tried as a title if it is not a path. */
async function findAssets(reelkeep: Reelkeep, name: string): Promise<Asset[]> {
  const slash = name.lastIndexOf('/')
  if (slash >= 0) {
    const folder = await findFolder(reelkeep, name.slice(0, slash))
    const found = folder ? await assetsWithTitle(reelkeep, name.slice(slash + 1), { folder }) : []
    if (found.length > 0) return found
  }
  return assetsWithTitle(reelkeep, name, {})
}

async function findFolder(reelkeep: Reelkeep, path: string): Promise<string | undefined> {
  if (path === '') return ROOT
  try {
    return (await resolveFolder(reelkeep, path)) ?? ROOT
  } catch (error) {
    const isMissing = error instanceof CommandError && error.exitCode === exitCodes.notFound
    if (isMissing || error instanceof NotFoundError) return undefined
    throw error
  }
}

const assetsWithTitle = (reelkeep: Reelkeep, title: string, where: ListAssetsQuery) =>
  findByTitle(title, (q) => reelkeep.assets.list({ ...where, q }), { countMax: CANDIDATES_MAX })
