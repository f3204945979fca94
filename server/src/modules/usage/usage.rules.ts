import { usage as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'

/** Use of one day in UTC. Bytes and assets are those at its end. */
export type UsageDay = {
  /** Such as 2026-11-18. */
  readonly day: string
  readonly storedBytes: number
  readonly renditionBytes: number
  readonly assets: number
  readonly encodedSeconds: number
  readonly deliveredBytes: number
  readonly deliveredSeconds: number
  readonly apiRequests: number
}

export type UsageRange = { readonly from: string; readonly to: string }

const DAY_MILLISECONDS = 86_400_000
const DEFAULT_DAYS = 30

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** The requested days: both ends are included, and the last one is today at the latest. */
export function usageRange({ from, to }: Partial<UsageRange>, nowMilliseconds: number): UsageRange {
  const today = dayOf(nowMilliseconds)
  const last = to === undefined || to > today ? today : to
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MILLISECONDS)
  if (first > last) throw refused('invalid_request', '`from` must not be after `to` or after today.', 'from')
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MILLISECONDS + 1
  if (days <= contract.USAGE_DAYS_MAX) return { from: first, to: last }
  const detail = `At most ${contract.USAGE_DAYS_MAX} days can be requested at once (got ${days}).`
  throw refused('invalid_request', detail, 'from')
}

/** Merges the days of each month: bytes and assets of its last day, and the sum of everything else. */
export function byMonth(days: readonly UsageDay[]): UsageDay[] {
  const months = new Map<string, UsageDay>()
  for (const day of days) {
    const month = day.day.slice(0, 7)
    const before = months.get(month)
    months.set(month, { ...(before ? added(before, day) : day), day: month })
  }
  return [...months.values()]
}

const added = (before: UsageDay, day: UsageDay): UsageDay => ({
  ...day,
  encodedSeconds: before.encodedSeconds + day.encodedSeconds,
  deliveredBytes: before.deliveredBytes + day.deliveredBytes,
  deliveredSeconds: before.deliveredSeconds + day.deliveredSeconds,
  apiRequests: before.apiRequests + day.apiRequests,
})

/** A delivery by an edge that did not cause a request to the API for the file. */
export type EdgeDelivery = {
  readonly day: string
  readonly organizationId: string
  readonly assetId: string
  /** Number of the version in the URL. */
  readonly version: number
  /** Null for files that are not segments. */
  readonly segment: { readonly track: string; readonly number: number } | null
  readonly bytes: number
}

/** A line in the format of deploy/nginx/reelkeep-edge.conf. */
const lineForm =
  /^\S+ \[([^\]]+)\] "GET \/play\/-\/([a-z0-9]{6,12})\/([0-9a-f-]{36})\/(\S+)" (\d{3}) (\d{1,15}) \S+ (\S+)$/

/** Cache results of nginx with which the file itself was not fetched from the API. */
const servedFromCache = ['HIT', 'STALE', 'UPDATING', 'REVALIDATED']

/** Files of version 1 are in no folder of a version. */
const segmentForm = /^(?:v(\d{1,9})\/)?[^/]+\/([a-z0-9]{1,16})\/(\d{5,9})\.m4s$/

/** Undefined for a line that is not such a delivery: the API counts what it serves itself. */
export function edgeDeliveryOf(line: string): EdgeDelivery | undefined {
  const [, time = '', organizationId = '', assetId = '', name = '', status, bytes, cache = ''] =
    lineForm.exec(line) ?? []
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds) || !(status === '200' || status === '206')) return undefined
  if (!servedFromCache.includes(cache)) return undefined
  const [, version = '1', track, number] = segmentForm.exec(name) ?? []
  return {
    day: dayOf(milliseconds),
    organizationId,
    assetId,
    version: Number(version),
    segment: track === undefined ? null : { track, number: Number(number) },
    bytes: Number(bytes),
  }
}
