import { type QueryClient, queryOptions, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useEvents } from '../../../app/live/live.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import type { Organization } from '../../../app/organization/organization-type.ts'
import { type FolderLevel, shownLevels } from './tree-nodes.ts'

/** The largest page of folders. The tree of the API shows as many folders per level. */
const LEVEL_PAGE = 100

/** Folder events within this time are handled together. */
const EVENTS_MILLISECONDS = 300

/** The folder that a member is limited to is the root of what the member sees. */
const rootOf = ({ membership }: Organization) => membership.folder_uuid ?? 'root'

/** Where "move to the top level" moves to. */
export const rootFolderOf = ({ membership }: Organization) => membership.folder_uuid

export const foldersKey = (organization: Organization) => ['o', organization.id, 'folders']
const levelKey = (organization: Organization, parent: string) => [...foldersKey(organization), 'level', parent]

/** The folders in `parent`. Reads as many again as had been loaded. */
export const levelQuery = (organization: Organization, parent: string, queryClient: QueryClient) =>
  queryOptions({
    queryKey: levelKey(organization, parent),
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<FolderLevel> => {
      const loaded = queryClient.getQueryData<FolderLevel>(levelKey(organization, parent))?.folders.length ?? 0
      let level = await readLevel(organization, parent, signal)
      while (level.nextCursor !== null && level.folders.length < loaded) {
        level = await readMore(organization, parent, level)
      }
      return level
    },
  })

/** The tree shows which folders have subfolders; the list continues where the tree ends. */
async function readLevel({ client }: Organization, parent: string, signal: AbortSignal): Promise<FolderLevel> {
  const { results } = await client.folders.tree({ parent, depth: 1 }, { signal })
  const folders = results.map(({ uuid, title, has_more: mayHaveChildren }) => ({ uuid, title, mayHaveChildren }))
  if (results.length < LEVEL_PAGE) return { folders, nextCursor: null }
  const { nextCursor } = await client.folders.list({ parent, limit: LEVEL_PAGE }, { signal })
  return { folders, nextCursor }
}

async function readMore({ client }: Organization, parent: string, level: FolderLevel): Promise<FolderLevel> {
  if (level.nextCursor === null) return level
  const page = await client.folders.list({ parent, limit: LEVEL_PAGE, cursor: level.nextCursor })
  // The list does not contain whether a folder has subfolders. Opening it does.
  const more = page.results.map(({ uuid, title }) => ({ uuid, title, mayHaveChildren: true }))
  return { folders: [...level.folders, ...more], nextCursor: page.nextCursor }
}

/** Open folders by organization. The tree in the sidebar and the one in the drawer have the same. */
const expandedBefore = new Map<string, ReadonlySet<string>>()

/** The same array as before if no level has changed, because the query library compares arrays. */
const dataIn = (results: readonly { readonly data: FolderLevel | undefined }[]) => results.map(({ data }) => data)

/** The levels of the tree that are shown, and what is open. */
export function useFolderLevels() {
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const root = rootOf(organization)
  const [expanded, setExpanded] = useState(() => expandedBefore.get(organization.id) ?? new Set<string>())
  const [parents, setParents] = useState<readonly string[]>([root])
  const loaded = useQueries({
    queries: parents.map((parent) => levelQuery(organization, parent, queryClient)),
    combine: dataIn,
  })
  const levels = useMemo(() => {
    const named = loaded.map((level, index) => [parents[index] ?? '', level] as const)
    return new Map(named.filter((entry): entry is [string, FolderLevel] => entry[1] !== undefined))
  }, [loaded, parents])
  const wanted = useMemo(() => shownLevels({ root, levels, expanded }), [root, levels, expanded])
  useEffect(() => {
    setParents((current) => (current.join() === wanted.join() ? current : wanted))
  }, [wanted])
  useEffect(() => void expandedBefore.set(organization.id, expanded), [organization.id, expanded])
  const expand = useCallback(
    (uuids: readonly string[]) =>
      setExpanded((current) => (uuids.every((uuid) => current.has(uuid)) ? current : new Set([...current, ...uuids]))),
    [],
  )
  const loadMore = useCallback(
    async (parent: string) => {
      const key = levelKey(organization, parent)
      const level = queryClient.getQueryData<FolderLevel>(key)
      if (level) queryClient.setQueryData(key, await readMore(organization, parent, level))
    },
    [organization, queryClient],
  )
  useFolderEvents(queryClient, organization)
  return { root, levels, expanded, setExpanded, expand, loadMore }
}

/** Reads the levels again that events are about. */
function useFolderEvents(queryClient: QueryClient, organization: Organization): void {
  const changed = useRef(new Map<string, string | null>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEvents((event) => {
    if (!event.type.startsWith('folder.') || !('uuid' in event.data) || !('parent' in event.data)) return
    const { uuid, parent } = event.data as { readonly uuid: string; readonly parent: string | null }
    changed.current.set(uuid, parent)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const folders = changed.current
      changed.current = new Map()
      void refreshLevels(queryClient, organization, folders)
    }, EVENTS_MILLISECONDS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** `folders` has the parent of each changed folder. A moved folder was in another level before. */
async function refreshLevels(
  queryClient: QueryClient,
  organization: Organization,
  folders: ReadonlyMap<string, string | null>,
): Promise<void> {
  const parents = new Set([...folders.values()].map((parent) => parent ?? rootOf(organization)))
  await queryClient.invalidateQueries({
    queryKey: foldersKey(organization),
    predicate: ({ queryKey, state }) => {
      if (queryKey[3] !== 'level') return folders.has(String(queryKey[4]))
      const level = state.data as FolderLevel | undefined
      const hadParent = level?.folders.some(({ uuid }) => parents.has(uuid)) ?? false
      return (
        hadParent || parents.has(String(queryKey[4])) || (level?.folders.some(({ uuid }) => folders.has(uuid)) ?? false)
      )
    },
  })
}

/** A folder with its path, for breadcrumbs. */
export const folderQuery = (organization: Organization, uuid: string) =>
  queryOptions({
    queryKey: [...foldersKey(organization), 'details', uuid],
    queryFn: ({ signal }) => organization.client.folders.read(uuid, { signal }),
  })
