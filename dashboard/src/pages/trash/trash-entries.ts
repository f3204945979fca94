import { infiniteQueryOptions } from '@tanstack/react-query'
import type { TrashItem } from 'reelkeep'
import type { Organization } from '../../app/organization/organization-type.ts'

/** A video or folder in the trash. */
export type TrashEntry = {
  readonly kind: 'video' | 'folder'
  readonly id: string
  readonly title: string
  readonly deletedAt: string
  readonly purgeAt: string
  /** What was deleted with a folder. */
  readonly videoCount: number
  readonly folderCount: number
}

/** Undefined for types of a later version. */
function toEntry({ asset, folder, deleted_at: deletedAt, purge_at: purgeAt }: TrashItem): TrashEntry | undefined {
  const times = { deletedAt, purgeAt }
  if (asset) return { kind: 'video', id: asset.id, title: asset.title, ...times, videoCount: 0, folderCount: 0 }
  if (!folder) return undefined
  const { uuid, title, asset_count: videoCount, folder_count: folderCount } = folder
  return { kind: 'folder', id: uuid, title, ...times, videoCount, folderCount }
}

const PAGE = 50

export const trashKey = ({ id }: Organization) => ['o', id, 'trash']

export const trashQuery = (organization: Organization) =>
  infiniteQueryOptions({
    queryKey: trashKey(organization),
    // What was deleted on other pages must be there at once.
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const position = pageParam === undefined ? {} : { cursor: pageParam }
      const { results, nextCursor } = await organization.client.trash.list({ ...position, limit: PAGE }, { signal })
      return { entries: results.map(toEntry).filter((entry) => entry !== undefined), nextCursor }
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
