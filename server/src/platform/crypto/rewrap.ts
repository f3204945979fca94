/** Re-encrypts the secrets of all organizations after the operator's key changed. */
import type { OrganizationId } from '../../kernel/ids.ts'
import { isSuspended } from '../db/suspension.ts'

/** A secret encrypted with a key other than the first of the ring. */
type SecretRow = {
  readonly organizationId: OrganizationId
  /** The organization is suspended or was migrated away. */
  readonly isSuspended: boolean
}

export type Rewrapped = {
  readonly rewrapped: number
  /** Skipped organizations, whose secrets stay encrypted with the older key. */
  readonly suspended: ReadonlySet<OrganizationId>
}

const PAGE_SIZE = 500

/**
 * Rewraps all rows that `select` returns, in their order. Rows of suspended organizations are skipped without
 * decrypting them: the key of an organization that was migrated away may no longer exist.
 */
export async function rewrapEach<Row extends SecretRow>(
  select: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
  rewrap: (row: Row) => Promise<void>,
): Promise<Rewrapped> {
  const suspended = new Set<OrganizationId>()
  let rewrapped = 0
  let last: Row | undefined
  do {
    const rows: readonly Row[] = await select(last, PAGE_SIZE)
    for (const row of rows) {
      if (!row.isSuspended && (await succeeds(rewrap(row)))) rewrapped += 1
      else suspended.add(row.organizationId)
    }
    last = rows.length < PAGE_SIZE ? undefined : rows.at(-1)
  } while (last)
  return { rewrapped, suspended }
}

/** Returns false if the organization was suspended after its row was read. */
async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (isSuspended(error)) return false
    throw error
  }
}
