/** Assets and folders in each place that a limited principal can or cannot see. */
import { randomUUID } from 'node:crypto'
import type { tokens } from '@reelkeep/contract'
import { type Caller, openSession } from '@reelkeep/testkit'

/** A word in all titles, tags, names and metadata outside. No response to a limited principal may contain it. */
export const MARKER = 'Zxqvutmark'

export const places = ['inside', 'moved in', 'outside', 'moved out', 'in another organization'] as const
export type Place = (typeof places)[number]

export const isVisible = (place: Place) => place === 'inside' || place === 'moved in'

/** One of each resource, in one place. */
export type Resources = {
  /** Contains the asset. */
  readonly folder: string
  /** An empty folder, to be deleted. */
  readonly emptyFolder: string
  readonly asset: string
  readonly session: string
  readonly accessToken: string
  readonly subtitle: string
  /** A token that is limited to `folder`. */
  readonly token: string
  readonly bulkOperation: string
}

export type Library = {
  /** The folder that the principals are limited to. */
  readonly limitFolder: string
  readonly resources: Readonly<Record<Place, Resources>>
}

const newFolder = async (caller: Caller, title: string, parent: string | null) =>
  (await caller.post<{ uuid: string }>('assets/folders/', { title, parent, metadata: { note: title } })).body.uuid

async function newResources(caller: Caller, parent: string | null, word: string): Promise<Resources> {
  const folder = await newFolder(caller, `${word} folder`, parent)
  const { asset, upload_session } = await openSession(caller, {
    ...{ folder, title: `${word} video`, tags: [word], metadata: { note: word }, description: word },
  })
  const subtitle = { language: 'de', label: word, content: `WEBVTT\n\n00:00.000 --> 00:01.000\n${word}\n` }
  const [added, playback, token] = await Promise.all([
    caller.post<{ id: string }>(`assets/${asset.id}/subtitles/`, subtitle),
    caller.post<{ id: string }>(`assets/${asset.id}/access-tokens/`, { viewer_id: word }),
    caller.post<tokens.NewToken>('tokens/', {
      name: word,
      scopes: ['assets:read', 'assets:write'],
      folder_uuid: folder,
    }),
  ])
  const limited = caller.withToken(token.body.token)
  const bulk = await limited.post<{ id: string }>('bulk-operations/', {
    action: 'add_tags',
    tags: [word],
    ids: [asset.id],
  })
  return {
    ...{ folder, asset: asset.id, session: upload_session.uuid, token: token.body.id, bulkOperation: bulk.body.id },
    emptyFolder: await newFolder(caller, `${word} empty`, folder),
    accessToken: playback.body.id,
    subtitle: added.body.id ?? randomUUID(),
  }
}

/** The organization of `caller` with resources in all places, and another organization. */
export async function newLibrary(caller: Caller, other: Caller): Promise<Library> {
  const above = await newFolder(caller, `${MARKER} above`, null)
  const limitFolder = await newFolder(caller, 'Limit', above)
  const elsewhere = await newFolder(caller, `${MARKER} elsewhere`, above)
  const resources = {
    inside: await newResources(caller, limitFolder, 'Visible'),
    'moved in': await newResources(caller, elsewhere, 'Visible'),
    outside: await newResources(caller, elsewhere, MARKER),
    'moved out': await newResources(caller, limitFolder, MARKER),
    'in another organization': await newResources(other, null, MARKER),
  }
  const move = (from: Place, parent: string) =>
    caller.post(`assets/folders/${resources[from].folder}/move/`, { parent })
  await move('moved in', limitFolder)
  await move('moved out', elsewhere)
  // The asset itself was elsewhere before, too.
  const { asset, folder } = resources['moved in']
  for (const target of [elsewhere, folder]) await caller.post(`assets/${asset}/move/`, { folder: target })
  // Something in the trash, and at the root.
  for (const [parent, word] of [
    [limitFolder, 'Visible'],
    [elsewhere, MARKER],
    [null, MARKER],
  ] as const) {
    const trashed = await openSession(caller, { folder: parent, title: `${word} deleted` })
    await caller.delete(`assets/${trashed.asset.id}/`)
    await openSession(caller, { folder: parent, title: `${word} second` })
  }
  return { limitFolder, resources }
}
