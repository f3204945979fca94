/** Whether an organization can be migrated: everything that would fail later is checked before the start. */

/** State of a database that decides whether organizations can be migrated from or to it. */
export type DatabaseState = {
  readonly isSuperuser: boolean
  readonly walLevel: string
  readonly freeSlots: number
  readonly migrations: readonly string[]
  readonly epochSeconds: number
}

/**
 * Maximum difference between the databases' clocks. Rows contain times, and events after the migration must not appear
 * to be before it.
 */
const CLOCK_SECONDS_MAX = 1

/**
 * Free replication slots needed: one for the migration itself, two for tables that are copied concurrently, and one
 * spare.
 */
const SLOTS_NEEDED = 4

export type Endpoints = {
  readonly source: { readonly name: string; readonly state: DatabaseState }
  readonly destination: {
    readonly name: string
    readonly state: DatabaseState
    readonly keyEncryptionKeys: readonly string[]
  }
  /** Ids of the keys that wrap the organization's secrets. */
  readonly keysInUse: readonly string[]
}

/** Returns the problems that prevent a migration, each with its solution. */
export function findProblems({ source, destination, keysInUse }: Endpoints): string[] {
  const [from, to] = [source.state, destination.state]
  const problems: string[] = []
  const check = (isProblem: boolean, sentence: string) => {
    if (isProblem) problems.push(sentence)
  }
  for (const { name, state } of [source, destination]) {
    check(
      !state.isSuperuser,
      `The database URL of cell ${name} does not use a superuser. Only superusers may subscribe; ` +
        'put the URL of one into CELLS_FILE.',
    )
  }
  check(
    from.walLevel !== 'logical',
    `Postgres of cell ${source.name} has wal_level=${from.walLevel}. Set wal_level=logical there and restart it.`,
  )
  check(
    from.freeSlots < SLOTS_NEEDED,
    `Postgres of cell ${source.name} has ${from.freeSlots} free replication slots. Raise max_replication_slots there, or wait for another move to end.`,
  )
  const lacking = missing(from.migrations, to.migrations)
  const ahead = missing(to.migrations, from.migrations)
  check(
    lacking.length > 0,
    `Cell ${destination.name} lacks migrations ${lacking.join(', ')}. Run server/migrate there.`,
  )
  check(ahead.length > 0, `Cell ${source.name} lacks migrations ${ahead.join(', ')}. Run server/migrate there.`)
  const seconds = Math.abs(from.epochSeconds - to.epochSeconds)
  check(
    seconds > CLOCK_SECONDS_MAX,
    `The clocks of the two databases are ${seconds.toFixed(1)} s apart. Synchronize them with NTP.`,
  )
  const keys = missingKeyProblem(keysInUse, { ...destination, source: source.name })
  return keys === undefined ? problems : [...problems, keys]
}

type DestinationKeys = {
  readonly name: string
  readonly keyEncryptionKeys: readonly string[]
  readonly source: string
}

/** Returns a message if the destination lacks a key that wraps the organization's secrets. */
export function missingKeyProblem(
  keysInUse: readonly string[],
  { name, keyEncryptionKeys, source }: DestinationKeys,
): string | undefined {
  const keys = missing(keysInUse, keyEncryptionKeys)
  if (keys.length === 0) return undefined
  return `Secrets of the organization are wrapped with ${keys.join(', ')}, which cell ${name} does not have. Add the key to KEY_ENCRYPTION_KEYS there and its id to the directory, or run rewrap-master-keys in cell ${source}.`
}

const missing = (required: readonly string[], existing: readonly string[]) =>
  required.filter((item) => !existing.includes(item))
