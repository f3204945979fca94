import type { folders, Page } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

export type Folder = folders.Folder
export type FolderPage = Page<Folder>

/** Path of the folders, relative to the organization. */
export const FOLDERS = 'assets/folders/'

export const folderUuidForm = /^[1-9A-HJ-NP-Za-km-z]{11}$/

/** Concurrent requests when a test creates many folders. */
const CALLS_AT_ONCE = 8

/** Creates a folder as a precondition of a test. */
export async function newFolder(caller: Caller, title: string, parent: string | null = null): Promise<Folder> {
  const { status, body, text } = await caller.post<Folder>(FOLDERS, { title, parent })
  if (status !== 201) throw new Error(`Cannot create a folder: ${text}`)
  return body
}

/** Creates folders and returns them in the order of the given titles. */
export async function newFolders(
  caller: Caller,
  titles: readonly string[],
  parent: string | null = null,
): Promise<Folder[]> {
  const folders: Folder[] = []
  for (let start = 0; start < titles.length; start += CALLS_AT_ONCE) {
    const batch = titles.slice(start, start + CALLS_AT_ONCE)
    folders.push(...(await Promise.all(batch.map((title) => newFolder(caller, title, parent)))))
  }
  return folders
}

export type ListQuery = Record<string, string | number>

export function listPath(query: ListQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  return `${FOLDERS}?${parameters}`
}

export async function listFolders(caller: Caller, query: ListQuery): Promise<FolderPage> {
  const { status, body, text } = await caller.get<FolderPage>(listPath(query))
  if (status !== 200) throw new Error(`Cannot read the list: ${text}`)
  return body
}

/** Requests a `next` or `previous` URL unchanged. */
export async function follow(caller: Caller, url: string): Promise<FolderPage> {
  const response = await fetch(url, { headers: { authorization: `token ${caller.token}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text}`)
  return JSON.parse(text) as FolderPage
}

/** The given page and all pages after or before it. */
export async function pagesFrom(
  caller: Caller,
  first: FolderPage,
  direction: 'next' | 'previous' = 'next',
): Promise<FolderPage[]> {
  const pages = [first]
  for (let url = first[direction]; url !== null; ) {
    const page = await follow(caller, url)
    pages.push(page)
    url = page[direction]
  }
  return pages
}

const naturalOrder = new Intl.Collator('en', { numeric: true })

/** The documented order: by title in natural order, then by uuid by code points. UTF-8 sorts like code points. */
export function byTitleThenUuid(one: Folder, two: Folder): number {
  return naturalOrder.compare(one.title, two.title) || Buffer.compare(Buffer.from(one.uuid), Buffer.from(two.uuid))
}

export const titlesOf = (folders: readonly Folder[]) => folders.map(({ title }) => title)

/** Deletes the folders that tests created. Reads the first page again after each round, because the list shrinks. */
export async function deleteMarkedFolders(caller: Caller, mark: string): Promise<void> {
  for (;;) {
    const { results } = await listFolders(caller, { q: mark, parent: 'root', limit: 100 })
    if (results.length === 0) return
    for (const { uuid } of results) {
      const { status, text } = await caller.delete(`${FOLDERS}${uuid}/?recursive=true`)
      if (status !== 204) throw new Error(`Cannot delete folder ${uuid}: ${text}`)
    }
  }
}
