/** Invariants of an upload after all faults have ended. */
import { S3ServiceException } from '@aws-sdk/client-s3'
import { Superuser } from '@reelkeep/testkit'
import type { FaultyService } from './faulty-service.ts'
import type { UploadRecord } from './upload-actions.ts'

type Row = {
  readonly status: string
  readonly isOverdue: boolean
  readonly assetStatus: string
  readonly bytes: number | null
  readonly key: string | null
  readonly version: string | null
  readonly completions: number
}

/** A violation; `isFinal` means that waiting longer cannot resolve it. */
type Violation = { readonly violation: string; readonly isFinal: boolean }

/**
 * Time after which a violation is final, counted from when the session closed and the last fault ended. It covers the
 * sweep interval, the pause after a failed check, and a busy machine.
 */
const SLACK_SECONDS = 300

/** Returns the first violation; undefined if the upload is correct. */
export async function violationOf(
  service: FaultyService,
  upload: UploadRecord,
  secondsSinceRepair: number,
): Promise<Violation | undefined> {
  const row = await read(service, upload)
  const isFinal = secondsSinceRepair > SLACK_SECONDS && row?.isOverdue !== false
  const notYet = (violation: string) => ({ violation, isFinal })
  if (upload.isDeleted) {
    if (row) return final('deleted, but its session exists')
    return (await hasFile(service, upload)) ? notYet('deleted, but its file exists') : undefined
  }
  return row ? rowViolation(service, upload, row, notYet) : final('its session is missing')
}

const final = (violation: string): Violation => ({ violation, isFinal: true })

async function hasFile({ caller, objects }: FaultyService, { assetId }: UploadRecord) {
  return (await objects.versions(`${caller.organizationId}/${assetId}/`)).length > 0
}

function rowViolation(
  service: FaultyService,
  upload: UploadRecord,
  row: Row,
  notYet: (violation: string) => Violation,
) {
  const isOpen = row.status === 'Created' || row.status === 'Uploading'
  if (isOpen) return notYet(`still ${row.status}`)
  if (row.completions > 1) return final(`completed ${row.completions} times`)
  if (upload.isCancelled) return row.status === 'Cancelled' ? undefined : final(row.status)
  if (row.status === 'Completed') return fileViolation(service, upload, row)
  if (row.status === 'Cancelled' && upload.scenario.endsWith('cancelled')) return undefined
  if (upload.isAcknowledged) return notYet(`acknowledged, but ${row.status}`)
  const expected = row.status === 'Expired' ? 'Cancelled' : 'Error'
  return row.assetStatus === expected ? undefined : final(`asset is ${row.assetStatus}`)
}

async function fileViolation(service: FaultyService, { candidates }: UploadRecord, row: Row) {
  if (row.assetStatus !== 'Queued') return final(`completed, but asset is ${row.assetStatus}`)
  const stored = await pinnedFile(service, row)
  if (!stored) return final('the pinned file is missing')
  if (stored.length !== row.bytes) return final(`${stored.length} bytes stored, ${row.bytes} recorded`)
  const isKnown = candidates.some((file) => file.equals(stored))
  return isKnown ? undefined : final('the pinned file is not the one that was sent first')
}

async function pinnedFile({ objects }: FaultyService, { key, version }: Row) {
  try {
    return await objects.read({ key: key ?? '', version: version ?? '' })
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined
    throw error
  }
}

async function read(service: FaultyService, { uuid }: UploadRecord): Promise<Row | undefined> {
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
