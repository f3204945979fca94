/** Avoids folders with the same title and parent. The service allows them, but their paths would be ambiguous. */
import { type Folder, PermissionError, type Reelkeep } from 'reelkeep'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { ambiguousFolder, childrenWithTitle } from './resolve-folder.ts'

type TitleInParent = { readonly parent: string | null; readonly title: string }

/** Returns the folder with this title and parent. Throws if there are several. */
export async function findExisting(reelkeep: Reelkeep, wanted: TitleInParent): Promise<Folder | undefined> {
  const found = await foldersWithTitle(reelkeep, wanted)
  if (found.length > 1) throw ambiguousFolder(wanted.title, found)
  return found[0]
}

/**
 * Throws if another folder has this title and parent. Without the scope `folders:read` this is unknown, and the
 * command continues.
 */
export async function assertNoOther(
  reelkeep: Reelkeep,
  { uuid, next, ...wanted }: TitleInParent & { readonly uuid?: string; readonly next: string },
): Promise<void> {
  const found = await foldersWithTitle(reelkeep, wanted).catch((error: unknown) => {
    if (error instanceof PermissionError) return []
    throw error
  })
  const other = found.find((folder) => folder.uuid !== uuid)
  if (other)
    throw new CommandError(
      `A folder with the title ${other.title} already exists there: ${other.uuid}.`,
      exitCodes.conflict,
      next,
    )
}

/** Trims the title like the service, which rejects an empty title. */
async function foldersWithTitle(reelkeep: Reelkeep, { parent, title }: TitleInParent): Promise<Folder[]> {
  const trimmed = title.trim()
  return trimmed === '' ? [] : childrenWithTitle(reelkeep, parent, trimmed)
}
