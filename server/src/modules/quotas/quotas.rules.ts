import { quotaExceeded } from '../../kernel/errors.ts'

/** Limits and use of an organization. A null limit is no limit. */
export type Quotas = {
  /** Includes the maximum sizes of the files of open upload sessions. */
  readonly storedBytes: Quota
  readonly assets: Quota
  /** Minutes of video encoded in this month. */
  readonly encodedMinutes: Quota
  readonly openSessions: Quota
}

export type Quota = { readonly limit: number | null; readonly used: number }

/** Names of the quotas in the API. */
export const quotaNames = {
  storedBytes: 'stored_bytes',
  assets: 'assets',
  encodedMinutes: 'encoded_minutes',
  openSessions: 'open_sessions',
} as const satisfies Record<keyof Quotas, string>

export type QuotaName = (typeof quotaNames)[keyof Quotas]

/** Share of a quota in percent that is in use, as far as an event reports it. */
export type QuotaLevel = 0 | 80 | 100
export type QuotaLevels = Readonly<Partial<Record<QuotaName, QuotaLevel>>>

function levelOf({ limit, used }: Quota): QuotaLevel {
  if (limit === null) return 0
  if (used >= limit) return 100
  return used >= limit * 0.8 ? 80 : 0
}

export type ReachedLevel = {
  readonly name: QuotaName
  readonly level: 80 | 100
  readonly limit: number
  readonly used: number
}

/**
 * The levels now, and those that were reached since `before`. A level is reached again only after the use has fallen
 * below it.
 */
export function reachedLevels(quotas: Quotas, before: QuotaLevels): { levels: QuotaLevels; reached: ReachedLevel[] } {
  const levels: Partial<Record<QuotaName, QuotaLevel>> = {}
  const reached: ReachedLevel[] = []
  for (const key of Object.keys(quotaNames) as (keyof Quotas)[]) {
    const name = quotaNames[key]
    const { limit, used } = quotas[key]
    const level = levelOf(quotas[key])
    if (level !== 0) levels[name] = level
    if (level !== 0 && level > (before[name] ?? 0)) reached.push({ name, level, limit: limit ?? 0, used })
  }
  return { levels, reached }
}

/** Compares each level, because Postgres does not keep the order of the keys. */
export const isSameLevels = (one: QuotaLevels, other: QuotaLevels): boolean =>
  Object.values(quotaNames).every((name) => (one[name] ?? 0) === (other[name] ?? 0))

const names: Record<keyof Quotas, string> = {
  storedBytes: 'stored bytes',
  assets: 'assets',
  encodedMinutes: 'encoded minutes this month',
  openSessions: 'open upload sessions',
}

const advice: Record<keyof Quotas, string> = {
  storedBytes: 'Delete assets permanently (the trash counts), or ask the operator for a higher quota.',
  assets: 'Delete assets, or ask the operator for a higher quota.',
  encodedMinutes: 'Try again next month, or ask the operator for a higher quota.',
  openSessions: 'Complete or cancel open sessions, or ask the operator for a higher quota.',
}

const remainingOf = ({ limit, used }: Quota) => (limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used))

function exceeded(name: keyof Quotas, { limit, used }: Quota) {
  const [usedText, limitText] = [used, limit ?? 0].map((count) => Math.ceil(count).toLocaleString('en-US'))
  return quotaExceeded(`The quota for ${names[name]} is used up (${usedText} of ${limitText}). ${advice[name]}`, {
    name: quotaNames[name],
    limit: limit ?? 0,
    used,
  })
}

/** Like `assertRoomForUpload`, for another file of an asset, which is not another asset. */
export const assertRoomForVersion = (quotas: Quotas, fileBytes: number | undefined): number =>
  assertRoomForUpload({ ...quotas, assets: { limit: null, used: 0 } }, fileBytes)

/** Throws if the organization may not have another asset. A clip stores and encodes nothing. */
export function assertRoomForAsset({ assets }: Quotas): void {
  if (remainingOf(assets) === 0) throw exceeded('assets', assets)
}

/** Throws if the organization may not have another asset, whose size is not known before it is rendered. */
export function assertRoomForRender(quotas: Quotas): void {
  for (const name of ['assets', 'encodedMinutes', 'storedBytes'] as const) {
    if (remainingOf(quotas[name]) === 0) throw exceeded(name, quotas[name])
  }
}

/**
 * Throws if the organization may not start another upload of this size. Returns how many bytes the file may have: its
 * size, or all bytes that are left if its size is not known.
 */
export function assertRoomForUpload(quotas: Quotas, fileBytes: number | undefined): number {
  for (const name of ['assets', 'encodedMinutes', 'openSessions', 'storedBytes'] as const) {
    if (remainingOf(quotas[name]) === 0) throw exceeded(name, quotas[name])
  }
  const bytes = remainingOf(quotas.storedBytes)
  if (fileBytes !== undefined && fileBytes > bytes) {
    const detail = `The file has ${fileBytes} bytes, but only ${bytes} bytes of the quota for stored bytes are left.`
    const { limit, used } = quotas.storedBytes
    throw quotaExceeded(`${detail} ${advice.storedBytes}`, { name: quotaNames.storedBytes, limit: limit ?? 0, used })
  }
  return fileBytes ?? bytes
}
