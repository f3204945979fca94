/** The operations that `pnpm bench peers` measures, and what a service needs to take part. */
import { commonWord, rareWord } from '../assets/seed-assets.ts'

export const PAGE_SIZE = 50
export const FREQUENT_TEXT = `berlin ${commonWord}`
export const RARE_TEXT = `oslo ${rareWord}`
export const FILE_BYTES = 64 * 1024

type OperationRules = {
  readonly title: string
  /** Whether every service must return the same number of rows. */
  readonly isList?: true
  /** Whether the goal against the plain service at a million rows applies. */
  readonly growsInPlain?: true
}

export const operations: Readonly<Record<string, OperationRules>> = {
  'first page': { title: 'first page of a folder', isList: true },
  'first page, all fields': { title: 'the same, with all fields of our assets', isList: true },
  'deep page': { title: 'second-last page of the folder', isList: true, growsInPlain: true },
  'deep page by cursor': { title: 'the same, by cursor in supabase/storage too', isList: true },
  'rare text': { title: 'search, 1 match in 400,000', isList: true, growsInPlain: true },
  'frequent text': { title: 'search, 1 match in 112', isList: true, growsInPlain: true },
  'get one': { title: 'one asset' },
  create: { title: 'permission to upload one file' },
  download: { title: 'file of 64 KiB from storage' },
}

/** The rows that every service has. */
export type Rows = {
  readonly size: number
  readonly samples: readonly { readonly id: string; readonly search_title: string }[]
}

export type PeerRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

/** A running service with the same rows as the others. */
export type Peer = AsyncDisposable & {
  /** Its name in the table. */
  readonly name: string
  readonly pid: number
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly headers: Record<string, string>
  /** The request with this number, for each operation that the service has. */
  readonly requests: Readonly<Record<string, (number: number) => PeerRequest>>
  /** The rows of a parsed list response. */
  readonly rowsOf: (body: unknown) => readonly unknown[]
}

export const postJson = (path: string, body: object): PeerRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
  contentType: 'application/json',
})

export const get = (path: string): PeerRequest => ({ method: 'GET', path })
