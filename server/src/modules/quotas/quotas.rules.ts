import { refused } from '../../kernel/errors.ts'

/** Limits and use of an organization. A null limit is no limit. */
export type Quotas = {
  /** Includes the maximum sizes of the files of open upload sessions. */
  readonly storedBytes: Quota
  readonly assets: Quota
  /** Minutes of video encoded in this month. */
  readonly encodedMinutes: Quota
  readonly openSessions: Quota
}

type Quota = { readonly limit: number | null; readonly used: number }

const names: Record<keyof Quotas, string> = {
  storedBytes: 'stored bytes',
  assets: 'assets',
  encodedMinutes: 'encoded minutes this month',
  openSessions: 'open upload sessions',
}

const advice: Record<keyof Quotas, string> = {
  storedBytes: 'Delete assets, or ask the operator for a higher quota.',
  assets: 'Delete assets, or ask the operator for a higher quota.',
  encodedMinutes: 'Try again next month, or ask the operator for a higher quota.',
  openSessions: 'Complete or cancel open sessions, or ask the operator for a higher quota.',
}

const remainingOf = ({ limit, used }: Quota) => (limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used))

function exceeded(name: keyof Quotas, { limit, used }: Quota) {
  const [usedText, limitText] = [used, limit ?? 0].map((count) => Math.ceil(count).toLocaleString('en-US'))
  return refused(
    'quota_exceeded',
    `The quota for ${names[name]} is used up (${usedText} of ${limitText}). ${advice[name]}`,
  )
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
    throw refused('quota_exceeded', `${detail} ${advice.storedBytes}`)
  }
  return fileBytes ?? bytes
}
