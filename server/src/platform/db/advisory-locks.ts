import { sql } from 'kysely'

/**
 * What is locked by a number, because there is no row to be locked. Postgres does not ask what a
 * number stands for: a seed for each kind of lock keeps one from waiting for another.
 */
export const lockSeeds = {
  move: 0,
  idempotencyKey: 1,
  newToken: 2,
  folderTree: 3,
  newAccessToken: 4,
  newWebhook: 5,
  newSigningKey: 6,
} as const

/** The number of a lock, by the names of whom it belongs to: the organization's comes first. */
export const lockNumber = (kind: keyof typeof lockSeeds, ...names: readonly unknown[]) => {
  const name = sql.join(
    names.map((one) => sql`${one}::text`),
    sql` || '/' || `,
  )
  return sql`hashtextextended(${name}, ${sql.lit(lockSeeds[kind])})`
}
