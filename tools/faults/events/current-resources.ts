/** The current resources of an organization, read through the API. */
import type { assets, chapters, folders, tokens, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { Resources } from './event-replay.ts'

const PAGE_SIZE = 100
/** Maximum number of pages of a list; far more than a schedule creates. */
const PAGES_MAX = 50

export async function readResources(caller: Caller): Promise<Resources> {
  const resources = new Map<string, string>()
  for (const { uuid } of await all<folders.Folder>(caller, 'assets/folders/')) {
    const { body } = await caller.get<folders.FolderDetails>(`assets/folders/${uuid}/`)
    resources.set(`folder ${uuid}`, `${body.title} in ${body.parent}`)
  }
  // Lists hide assets without a file unless the status is requested.
  const listed = await all<assets.Asset>(caller, 'assets/')
  const cancelled = await all<assets.Asset>(caller, 'assets/', '&status=Cancelled')
  for (const { id, title, parent_id } of [...listed, ...cancelled]) {
    resources.set(`asset ${id}`, `${title} in ${parent_id}`)
    for (const chapter of await all<chapters.Chapter>(caller, `assets/${id}/chapters/`)) {
      resources.set(`chapter ${chapter.id} of ${id}`, chapter.title)
    }
  }
  const sessions = 'assets/upload-sessions/'
  for (const { uuid, status } of await all<uploadSessions.UploadSessionDetails>(caller, sessions)) {
    resources.set(`session ${uuid}`, status)
  }
  const byName = Map.groupBy(await all<tokens.Token>(caller, 'tokens/'), ({ name }) => name)
  for (const [name, all] of byName) {
    const revoked = all.filter(({ revoked_at }) => revoked_at !== null).length
    resources.set(`token ${name}`, `${all.length - revoked} live, ${revoked} revoked`)
  }
  return resources
}

type Page<Item> = { readonly next: string | null; readonly results: readonly Item[] }

/** Reads every page of a list. */
async function all<Item>(caller: Caller, path: string, filter = ''): Promise<Item[]> {
  const items: Item[] = []
  let next: string | null = `${path}?limit=${PAGE_SIZE}${filter}`
  for (let page = 0; next !== null; page++) {
    if (page === PAGES_MAX) throw new Error(`${path} has too many pages`)
    const { status, body, text }: Awaited<ReturnType<typeof caller.get<Page<Item>>>> =
      await caller.get<Page<Item>>(next)
    if (status !== 200) throw new Error(`${path} returned ${text}`)
    items.push(...body.results)
    next = body.next
  }
  return items
}
