import { sql } from 'kysely'

/**
 * Hash seeds of the advisory locks, used where no row exists to lock. All advisory locks share one
 * number space, so each kind has its own seed.
 */
export const lockSeeds = {
  move: 0,
  idempotencyKey: 1,
  newToken: 2,
  folderTree: 3,
  newAccessToken: 4,
  newWebhook: 5,
  newSigningKey: 6,
  quotas: 7,
  bulkOperations: 12,
} as const

/** The advisory lock's key: a hash of `names`, of which the organization id is the first. */
export const lockNumber = (kind: keyof typeof lockSeeds, ...names: readonly unknown[]) => {
  const name = sql.join(
    names.map((part) => sql`${part}::text`),
    sql` || '/' || `,
  )
  return sql`hashtextextended(${name}, ${sql.lit(lockSeeds[kind])})`
}
