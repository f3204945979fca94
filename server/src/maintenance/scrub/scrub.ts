/**
 * Reads published files and compares them with their checksums, the longest unchecked of all organizations first.
 * Damaged files are not served any more, and a schedule repairs them.
 */
import pMap from 'p-map'
import {
  type OrganizationToCheck,
  oldestChecked,
  organizationsToCheck,
  type PublishedFiles,
  postponeCheck,
  readIntact,
  recordCheck,
} from '../../modules/published-files/published-files.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { unlessSuspended } from '../local-organizations.ts'
import { DamageRecorder } from './damage-recorder.ts'
import { FailureLimit } from './failure-limit.ts'

/** Files read concurrently. They are segments of a few megabytes at most. */
const FILES_AT_ONCE = 4
/** Rows per query; a row has the files of one attempt. */
const ROWS_PER_QUERY = 10

export type ScrubOptions = {
  /** Files that were checked since are skipped. */
  readonly before: Date
  /** No further files are read after this many bytes. */
  readonly bytesMax: number
  readonly signal: AbortSignal
  /** No further files are read when it aborts. Default: `signal`. */
  readonly ending?: AbortSignal
  readonly onRead?: (bytes: number) => void
  readonly onDamaged: (files: PublishedFiles, damaged: readonly string[]) => void
}

export type Scrubbed = { readonly files: number; readonly bytes: number; readonly damaged: number }

type Context = ScrubOptions & {
  readonly media: MediaBucket
  readonly total: { files: number; bytes: number }
  readonly failures: FailureLimit
  readonly recorder: DamageRecorder
}

/** An organization whose files are checked next, after the last row that was read. */
type Waiting = OrganizationToCheck & { readonly after: PublishedFiles | undefined }

export async function scrub(database: Database, media: MediaBucket, options: ScrubOptions): Promise<Scrubbed> {
  const { before, signal, onDamaged } = options
  const recorder = new DamageRecorder({
    ...{ database, media, signal, onDamaged },
    record: ({ db, row: { assetId, prefix }, damaged }) => recordCheck(db, { assetId, prefix, damaged, since: before }),
  })
  const failures = new FailureLimit()
  const context: Context = { ...options, media, failures, recorder, total: { files: 0, bytes: 0 } }
  const waiting: Waiting[] = (await organizationsToCheck(database, before)).map((organization) => ({
    ...organization,
    after: undefined,
  }))
  for (let next = waiting.shift(); next && !isOver(context); next = waiting.shift()) {
    const { id } = next
    const last = await unlessSuspended(checkNext(context, database.forOrganization(id), next.after), undefined)
    if (last) insert(waiting, { id, oldestCheckAt: last.checkedAt, after: last })
  }
  await recorder.end()
  failures.throwFirst()
  return { ...context.total, damaged: recorder.files }
}

/** Keeps the order: the organization with the longest unchecked files first. */
function insert(waiting: Waiting[], organization: Waiting): void {
  const { oldestCheckAt } = organization
  const index = waiting.findIndex((other) => other.oldestCheckAt > oldestCheckAt)
  waiting.splice(index === -1 ? waiting.length : index, 0, organization)
}

const isOver = ({ total, bytesMax, signal, ending = signal }: Context) =>
  total.bytes >= bytesMax || signal.aborted || ending.aborted

/** Checks the next rows. Returns the last one; undefined if there are no others. */
async function checkNext(
  context: Context,
  db: OrganizationDb,
  after: PublishedFiles | undefined,
): Promise<PublishedFiles | undefined> {
  const { before, failures, signal } = context
  const rows = await oldestChecked(db, { before, limit: ROWS_PER_QUERY, after })
  for (const row of rows) {
    if (isOver(context)) return undefined
    const isChecked = await failures.run(() => checkRow(context, db, row))
    signal.throwIfAborted()
    // A file that cannot be read must not stop the check of all others.
    if (!isChecked) await postponeCheck(db, row.assetId, { prefix: row.prefix, before })
  }
  return rows.length < ROWS_PER_QUERY ? undefined : rows.at(-1)
}

async function checkRow(
  { media, total, before, signal, recorder, onRead }: Context,
  db: OrganizationDb,
  row: PublishedFiles,
): Promise<void> {
  const { assetId, prefix, files } = row
  const damaged: string[] = []
  await pMap(
    files,
    async (file) => {
      if (!(await readIntact(media, prefix, file, signal))) damaged.push(file.name)
      total.bytes += file.bytes
      onRead?.(file.bytes)
    },
    { concurrency: FILES_AT_ONCE, signal },
  )
  total.files += files.length
  if (damaged.length === 0) await recordCheck(db, { assetId, prefix, damaged, since: before })
  await recorder.add({ db, row, damaged }, damaged.length < files.length)
}
