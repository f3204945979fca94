/** Commands that back up storage and compare it with the database. */

import { type Buckets, openBuckets } from '../../maintenance/buckets.ts'
import { type CopyProgress, type CopyReport, copyAllObjects } from '../../maintenance/copies/copy-all.ts'
import { relinkVersions } from '../../maintenance/copies/relink-versions.ts'
import { localOrganizations, unlessSuspended } from '../../maintenance/local-organizations.ts'
import { type Reconciled, reconcile } from '../../maintenance/reconcile.ts'
import { scrub } from '../../maintenance/scrub/scrub.ts'
import { type IndexProgress, indexMoments } from '../../maintenance/search/index-moments.ts'
import { sharedBucket } from '../../maintenance/shared-buckets.rules.ts'
import { requireOrganization } from '../../modules/organizations/organizations.ts'
import { migratorDb } from '../../modules/suspension/suspension.ts'
import { ConfigError, readBackupStorageConfig, readStorageConfig } from '../../platform/config/env.ts'
import type { Database } from '../../platform/db/database.ts'
import type { StorageOptions } from '../../platform/storage/client.ts'
import { createBuckets } from '../../platform/storage/setup/setup.ts'
import { type CommandIo, UsageError } from '../command-io.ts'
import { backupStorageOptions, storageOptions } from '../wiring/storage-options.ts'
import type { Commands } from './command.ts'
import { interruption } from './interruption.ts'

export const storageCommands = {
  'backup-storage': async (database, _, __, io) => {
    const options = readBackupOptions(io)
    using from = openBuckets(storageOptions(readStorageConfig(io.env)))
    const deletesParts = await createBuckets(options)
    if (!deletesParts) io.stderr.write(PARTS_STAY)
    using to = openBuckets(options)
    return copyResult(await copyAll(database, { from, to }, io), io)
  },
  'restore-storage': async (database, _, __, io) => {
    using from = await openExisting(readBackupOptions(io), NO_BACKUP)
    using to = await openExisting(storageOptions(readStorageConfig(io.env)))
    const report = await copyAll(database, { from, to }, io)
    const { relinked, unlinked } = await relinkAll(database, to, io)
    if (unlinked.length > 0) io.exitCode = 1
    return { ...copyResult(report, io), unlinked, relinked }
  },
  'reconcile-storage': async (database, { values }, _, io) => {
    if (values.backup && (values.relink || values.retry)) {
      throw new UsageError('--backup only checks the copies: --relink and --retry apply to the storage in use.')
    }
    using buckets = values.backup
      ? await openExisting(readBackupOptions(io), NO_BACKUP)
      : await openExisting(storageOptions(readStorageConfig(io.env)))
    const orphansMax = readCount(values['orphans-max'], '--orphans-max')
    const relinked = values.relink ? (await relinkAll(database, buckets, io)).relinked : 0
    const reconciled = await reconcile(database, buckets, {
      sources: values.backup ? 'copied' : 'linked',
      isRetrying: values.retry,
      deletesOrphans: values['delete-orphans'],
      orphansMax,
      now: new Date(),
    })
    return reconcileResult(reconciled, relinked, io)
  },
  'index-search': async (database, { positionals: [organization] }, _, io) => {
    if (organization !== undefined) await requireOrganization(database, organization)
    using buckets = await openExisting(storageOptions(readStorageConfig(io.env)))
    const report = ({ assets, transcripts }: IndexProgress) =>
      io.stderr.write(`${assets} assets so far: ${transcripts} transcripts read\n`)
    return indexMoments(database, buckets.media, { organization, signal: interruption(io), report })
  },
  'scrub-storage': async (database, _, __, io) => {
    using buckets = await openExisting(storageOptions(readStorageConfig(io.env)))
    const rows: object[] = []
    const scrubbed = await scrub(database, buckets.media, {
      before: new Date(),
      bytesMax: Number.POSITIVE_INFINITY,
      signal: interruption(io),
      onDamaged: ({ assetId, prefix }, damaged) => {
        for (const name of damaged)
          if (rows.length < DAMAGED_LISTED_MAX) rows.push({ damaged: prefix + name, asset: assetId })
      },
    })
    if (scrubbed.damaged > 0) io.exitCode = 1
    return { rows, files: scrubbed.files, bytes: scrubbed.bytes, damaged_count: scrubbed.damaged }
  },
} satisfies Commands

/** Maximum number of damaged files that are printed. */
const DAMAGED_LISTED_MAX = 10_000

const PARTS_STAY =
  'The backup storage does not delete unfinished multipart uploads of interrupted runs: it does not support that rule, or the key may not set it.\n'

/** Reads the backup settings. Rejects a backup in the buckets of the service. */
function readBackupOptions({ env }: CommandIo): StorageOptions {
  const options = backupStorageOptions(readBackupStorageConfig(env))
  const shared = sharedBucket(storageOptions(readStorageConfig(env)), options)
  if (shared === undefined) return options
  throw new ConfigError(
    `The bucket ${shared} is used by the service, so it cannot be the backup. Set other buckets in BACKUP_STORAGE_UPLOADS_BUCKET and BACKUP_STORAGE_MEDIA_BUCKET, or another storage service in BACKUP_STORAGE_ENDPOINT.`,
  )
}

function copyAll(
  database: Database,
  buckets: { readonly from: Buckets; readonly to: Buckets },
  io: CommandIo,
): Promise<CopyReport> {
  const signal = interruption(io)
  const report = ({ assets, objects, bytes, objectsKept }: CopyProgress) =>
    io.stderr.write(
      `${assets} assets so far: ${objects} objects copied (${bytes} bytes), ${objectsKept} already existed\n`,
    )
  return copyAllObjects(database, buckets, { signal, report })
}

const NO_BACKUP =
  'There is no backup at BACKUP_STORAGE_…. Run backup-storage, which creates its buckets, or correct these settings if there should be one.'

/**
 * Opens the buckets after checking that they exist: storage reports a missing bucket like a missing object, which would
 * be misleading.
 */
async function openExisting(options: StorageOptions, hint?: string): Promise<Buckets> {
  const buckets = openBuckets(options)
  const error = (await buckets.uploads.configurationError()) ?? (await buckets.media.configurationError())
  if (error === undefined) return buckets
  buckets[Symbol.dispose]()
  throw new ConfigError(hint ?? error)
}

type RelinkedAll = {
  readonly relinked: number
  /** Assets whose file is missing. */
  readonly unlinked: readonly { readonly unlinked: string; readonly organization: string }[]
}

async function relinkAll(database: Database, buckets: Buckets, io: CommandIo): Promise<RelinkedAll> {
  let relinked = 0
  const unlinked: { unlinked: string; organization: string }[] = []
  for await (const { db, isSuspended } of localOrganizations(database)) {
    const { organizationId: organization } = db
    // Suspended organizations are relinked too, because otherwise their files would not be found.
    const work = relinkVersions(isSuspended ? migratorDb(database, organization) : db, buckets)
    const done = await unlessSuspended(work, undefined)
    if (!done) reportSuspended(organization, io)
    relinked += done?.relinked ?? 0
    for (const asset of done?.missing ?? []) unlinked.push({ unlinked: asset, organization })
  }
  return { relinked, unlinked }
}

function reportSuspended(organization: string, io: CommandIo): void {
  io.stderr.write(`Organization ${organization} was suspended during the run. Run it again.\n`)
  io.exitCode = 1
}

function readCount(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[0-9]{1,9}$/.test(text)) throw new UsageError(`${name} must be a number (got ${text}).`)
  return Number(text)
}

/** Returns the result of a copy for printing. The exit code is 1 if anything was not copied. */
function copyResult({ missing, failed, objectsKept, elsewhere, ...counts }: CopyReport, io: CommandIo): object {
  if (missing.length + failed.length > 0) io.exitCode = 1
  return {
    missing: missing.map(({ why, ...asset }) => ({ missing: why, ...asset })),
    failed: failed.map(({ why, ...asset }) => ({ failed: why, ...asset })),
    ...counts,
    objects_kept: objectsKept,
    ...{ objects_missing: missing.length, objects_failed: failed.length },
    organizations_elsewhere: elsewhere,
  }
}

function reconcileResult(reconciled: Reconciled, relinked: number, io: CommandIo): object {
  const { missing, orphans, retried, deletion, elsewhere, isConsistent } = reconciled
  if (!isConsistent) io.exitCode = 1
  if (deletion.refusal !== undefined) io.stderr.write(`${deletion.refusal}\n`)
  return {
    missing: missing.rows.map(({ kind, organizationId, assetId, ...row }) => ({
      ...{ missing: kind, organization: organizationId, asset: assetId, ...row },
    })),
    orphans: orphans.rows.map(({ bucket, prefix, objects, bytes, newestAt }) => ({
      ...{ orphan: bucket, prefix, objects, bytes, newest: newestAt.toISOString() },
    })),
    ...{ missing_count: missing.count, retried, relinked },
    ...{ orphan_count: orphans.count, deleted: deletion.deleted },
    organizations_elsewhere: elsewhere,
    consistent: isConsistent,
  }
}
