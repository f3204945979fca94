/** Whether an organization can be moved: everything that would go wrong later is looked for before anything begins. */

/** How a database stands. */
export type Standing = {
  readonly isSuperuser: boolean
  readonly walLevel: string
  readonly freeSlots: number
  readonly migrations: readonly string[]
  readonly epochSeconds: number
}

/** Rows carry times; what happens after the move must not seem to come before it. */
const CLOCK_SECONDS_MAX = 1

/** One for the move itself, two for tables that are copied at a time, and one to spare. */
const SLOTS_NEEDED = 4

export type Ends = {
  readonly source: { readonly name: string; readonly standing: Standing }
  readonly destination: {
    readonly name: string
    readonly standing: Standing
    readonly keyEncryptionKeys: readonly string[]
  }
  /** Of the keys under which the organization's secrets are kept. */
  readonly keysInUse: readonly string[]
}

/** Each with its cure. */
export function faultsOf({ source, destination, keysInUse }: Ends): string[] {
  const [from, to] = [source.standing, destination.standing]
  const faults: string[] = []
  const say = (isFault: boolean, sentence: string) => {
    if (isFault) faults.push(sentence)
  }
  for (const { name, standing } of [source, destination]) {
    say(
      !standing.isSuperuser,
      `The address of the database of cell ${name} names no superuser. Only superusers may subscribe; put one into the directory.`,
    )
  }
  say(
    from.walLevel !== 'logical',
    `Postgres of cell ${source.name} has wal_level=${from.walLevel}. Set wal_level=logical there and restart it.`,
  )
  say(
    from.freeSlots < SLOTS_NEEDED,
    `Postgres of cell ${source.name} has ${from.freeSlots} replication slots left. Raise max_replication_slots there, or wait for another move to end.`,
  )
  const lacking = missing(from.migrations, to.migrations)
  const ahead = missing(to.migrations, from.migrations)
  say(
    lacking.length > 0,
    `Cell ${destination.name} lacks migrations ${lacking.join(', ')}. Run server/migrate there.`,
  )
  say(
    ahead.length > 0,
    `Cell ${source.name} lacks migrations ${ahead.join(', ')}. Run server/migrate there.`,
  )
  const seconds = Math.abs(from.epochSeconds - to.epochSeconds)
  say(
    seconds > CLOCK_SECONDS_MAX,
    `The clocks of the two databases are ${seconds.toFixed(1)} s apart. Set them by NTP.`,
  )
  const keys = keyFault(keysInUse, { ...destination, source: source.name })
  return keys === undefined ? faults : [...faults, keys]
}

type KeysThere = {
  readonly name: string
  readonly keyEncryptionKeys: readonly string[]
  readonly source: string
}

/** Undefined if the destination has every key that secrets of the organization are kept under. */
export function keyFault(
  keysInUse: readonly string[],
  { name, keyEncryptionKeys, source }: KeysThere,
): string | undefined {
  const keys = missing(keysInUse, keyEncryptionKeys)
  if (keys.length === 0) return undefined
  return `Secrets of the organization are kept under ${keys.join(', ')}, which cell ${name} does not have. Put the key into KEY_ENCRYPTION_KEYS there and its id into the directory, or run rewrap-master-keys in cell ${source}.`
}

const missing = (wanted: readonly string[], there: readonly string[]) =>
  wanted.filter((one) => !there.includes(one))
