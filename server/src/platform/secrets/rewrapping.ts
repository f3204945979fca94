/** Secrets of all organizations are wrapped anew when the operator's key changes. */
import type { OrganizationId } from '../../kernel/ids.ts'
import { isHeld } from '../db/held.ts'

/** What is kept under another key than the first of the ring. */
type OfOrganization = {
  readonly organizationId: OrganizationId
  /** Nothing of it is written at the moment, or here at all. */
  readonly isHeld: boolean
}

export type Rewrapped = {
  readonly rewrapped: number
  /** Whose secrets stay under the older key. */
  readonly held: ReadonlySet<OrganizationId>
}

/** Read at a time. */
const STRETCH = 500

/**
 * Goes through all that `select` has, in its order. One that is held keeps nobody else's waiting,
 * and is not even opened: of one that left long ago the key may be gone.
 */
export async function rewrapEach<Row extends OfOrganization>(
  select: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
  rewrap: (row: Row) => Promise<void>,
): Promise<Rewrapped> {
  const held = new Set<OrganizationId>()
  let rewrapped = 0
  let last: Row | undefined
  do {
    const rows: readonly Row[] = await select(last, STRETCH)
    for (const row of rows) {
      if (!row.isHeld && (await isDone(rewrap(row)))) rewrapped += 1
      else held.add(row.organizationId)
    }
    last = rows.length < STRETCH ? undefined : rows.at(-1)
  } while (last)
  return { rewrapped, held }
}

/** False if it was held since it was read. */
async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (isHeld(error)) return false
    throw error
  }
}
