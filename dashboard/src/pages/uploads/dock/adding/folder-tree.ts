/** Creates the folders of dropped files. */
import type { Reelkeep } from 'reelkeep'

type Folders = Pick<Reelkeep['folders'], 'create' | 'list'>

const PAGE_MAX = 100

/**
 * Returns a function that returns the folder for a path below `root`. Folders of the same title are used again, so that
 * a folder can be dropped twice.
 */
export function folderFinder(folders: Folders, root: string | null, titleOf: (name: string) => string) {
  const known = new Map<string, Promise<string>>()
  const find = async (parent: string | null, title: string): Promise<string> => {
    const { results } = await folders.list({ parent: parent ?? 'root', q: title, limit: PAGE_MAX })
    const existing = results.find((folder) => folder.title === title)
    return (existing ?? (await folders.create({ title, parent }))).uuid
  }
  const folderFor = async (path: readonly string[]): Promise<string | null> => {
    if (path.length === 0) return root
    const key = JSON.stringify(path)
    const found =
      known.get(key) ?? folderFor(path.slice(0, -1)).then((parent) => find(parent, titleOf(path.at(-1) ?? '')))
    known.set(key, found)
    return found
  }
  return folderFor
}
