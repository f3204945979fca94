/** What must be true of an upload once everything has healed, whatever struck meanwhile. */
import { createHash } from 'node:crypto'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { Superuser } from '@reelkeep/testkit'
import type { FaultyService } from './service.ts'
import type { Remembered } from './upload-acts.ts'

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
 * After the session closed, and after the last fault was mended: without storage nobody can tell whether a file is there.
 * The sweep's turn, its pause after a failed look, and a busy machine.
 */
const SLACK_SECONDS = 30

/** Undefined when all is as it should be; `isFinal` tells that it cannot come right by itself any more. */
export async function faultOf(
  service: FaultyService,
  storage: S3Client,
  upload: Remembered,
  secondsSinceMended: number,
): Promise<{ readonly fault: string; readonly isFinal: boolean } | undefined> {
  const row = await read(service, upload)
  const isPatienceOver = secondsSinceMended > SLACK_SECONDS && row?.isOverdue === true
  if (!row) return final('its session is gone')
  const isOpen = row.status === 'Created' || row.status === 'Uploading'
  if (isOpen) return { fault: `still ${row.status}`, isFinal: isPatienceOver }
  if (row.completions > 1) return final(`completed ${row.completions} times`)
  if (upload.isCancelled) return row.status === 'Cancelled' ? undefined : final(row.status)
  if (row.status === 'Completed') return fileFault(service, storage, upload, row)
  if (upload.acknowledged)
    return { fault: `acknowledged, but ${row.status}`, isFinal: isPatienceOver }
  return row.assetStatus === 'Error' ? undefined : final(`asset is ${row.assetStatus}`)
}

const final = (fault: string) => ({ fault, isFinal: true })

async function fileFault(
  service: FaultyService,
  storage: S3Client,
  { acknowledged, uncertain }: Remembered,
  row: Row,
) {
  if (row.assetStatus !== 'Queued') return final(`completed, but asset is ${row.assetStatus}`)
  const { Body } = await storage.send(
    new GetObjectCommand({
      Bucket: service.bucket,
      Key: row.key ?? '',
      VersionId: row.version ?? '',
    }),
  )
  const stored = Buffer.from((await Body?.transformToByteArray()) ?? [])
  if (stored.length !== row.bytes) return final(`${stored.length} bytes stored, ${row.bytes} noted`)
  // An upload without an answer may have been stored first, and then it is the one that counts.
  const candidates = [...uncertain, ...(acknowledged ? [acknowledged] : [])]
  const isKnown = candidates.some((file) => digest(file) === digest(stored))
  return isKnown ? undefined : final('the pinned file is none that was sent')
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
