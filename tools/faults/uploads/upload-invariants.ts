/** Invariants of an upload after all faults have ended. */
import { createHash } from 'node:crypto'
import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Superuser } from '@reelkeep/testkit'
import type { FaultyService } from '../support/service.ts'
import type { Remembered } from './upload-actions.ts'

type Row = {
  readonly status: string
  readonly isOverdue: boolean
  readonly assetStatus: string
  readonly bytes: number | null
  readonly key: string | null
  readonly version: string | null
  readonly completions: number
}

/**
 * Counted from when the session closed and the last fault ended, because the sweep needs storage. Covers the sweep
 * interval, its pause after a failed check, and a busy machine.
 */
const SLACK_SECONDS = 300

/** Undefined if the upload is correct; `isFinal` means that the violation cannot disappear anymore. */
export async function faultOf(
  service: FaultyService,
  storage: S3Client,
  upload: Remembered,
  secondsSinceMended: number,
): Promise<{ readonly fault: string; readonly isFinal: boolean } | undefined> {
  const row = await read(service, upload)
  const isPatienceOver = secondsSinceMended > SLACK_SECONDS && row?.isOverdue !== false
  const notYet = (fault: string) => ({ fault, isFinal: isPatienceOver })
  if (upload.isDeleted) return deletionFault(service, storage, upload, row, notYet)
  if (!row) return final('its session is missing')
  const isOpen = row.status === 'Created' || row.status === 'Uploading'
  if (isOpen) return notYet(`still ${row.status}`)
  if (row.completions > 1) return final(`completed ${row.completions} times`)
  if (upload.isCancelled) return row.status === 'Cancelled' ? undefined : final(row.status)
  if (row.status === 'Completed') return fileFault(service, storage, upload, row)
  if (row.status === 'Cancelled' && upload.way.endsWith('cancelled')) return undefined
  if (upload.isAcknowledged) return notYet(`acknowledged, but ${row.status}`)
  return row.assetStatus === 'Error' ? undefined : final(`asset is ${row.assetStatus}`)
}

const final = (fault: string) => ({ fault, isFinal: true })

/** Nothing of a deleted asset remains, eventually not in storage either. */
async function deletionFault(
  service: FaultyService,
  storage: S3Client,
  { assetId }: Remembered,
  row: Row | undefined,
  notYet: (fault: string) => { fault: string; isFinal: boolean },
) {
  if (row) return final('deleted, but its session exists')
  const Prefix = `${service.caller.organizationId}/${assetId}/`
  const { Versions = [] } = await storage.send(
    new ListObjectVersionsCommand({ Bucket: service.bucket, Prefix }),
  )
  return Versions.length > 0 ? notYet('deleted, but its file exists') : undefined
}

async function fileFault(
  service: FaultyService,
  storage: S3Client,
  { candidates }: Remembered,
  row: Row,
) {
  if (row.assetStatus !== 'Queued') return final(`completed, but asset is ${row.assetStatus}`)
  const stored = await pinnedFile(service, storage, row)
  if (!stored) return final('the pinned file is missing')
  if (stored.length !== row.bytes)
    return final(`${stored.length} bytes stored, ${row.bytes} recorded`)
  const isKnown = candidates.some((file) => digest(file) === digest(stored))
  return isKnown ? undefined : final('the pinned file is not the one that was sent first')
}

async function pinnedFile(service: FaultyService, storage: S3Client, { key, version }: Row) {
  const wanted = { Bucket: service.bucket, Key: key ?? '', VersionId: version ?? '' }
  try {
    const { Body } = await storage.send(new GetObjectCommand(wanted))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)
      return undefined
    throw error
  }
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function read(service: FaultyService, { uuid }: Remembered): Promise<Row | undefined> {
  await using superuser = await Superuser.open(service.env)
  const [row] = await superuser.query<Row>(
    `select session.status, session.closes_at + make_interval(secs => $2) < now() as "isOverdue",
       asset.status as "assetStatus", asset.bytes::float8 as bytes,
       asset.source_key as key, asset.source_version as version,
       (select count(*)::int from asset_happenings as happening
        where happening.asset_id = asset.id and what = 'uploaded') as completions
     from upload_sessions as session join assets as asset on asset.id = session.asset_id
     where session.uuid = $1`,
    [uuid, SLACK_SECONDS],
  )
  return row
}
