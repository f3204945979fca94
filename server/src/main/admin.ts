/**
 * `node server/src/main/admin.ts COMMAND`: what only the operator may do, from the server's own command
 * line. It connects as the owner of the database. The commands are in `admin/`, a file for each family.
 */
import { scopes } from '@reelkeep/contract'
import { DirectoryFault } from '../cells/directory.ts'
import { MoveRefused } from '../cells/move/move-refused.ts'
import { NoSuchCell } from '../cells/placement.ts'
import { DomainError } from '../kernel/errors.ts'
import { ConfigError, readAdminConfig, readCellsConfig } from '../platform/config/env.ts'
import { KeyUnavailable } from '../platform/secrets/wrapping.ts'
import { type Command, readArguments, UsageError } from './admin/command.ts'
import { cellFamily, families } from './admin/families.ts'
import { Interrupted } from './admin/interruption.ts'
import type { Surroundings } from './surroundings.ts'

const usage = `reelkeep admin: organizations, their tokens and keys, jobs that failed, backups of storage, cells

${[...families, cellFamily].map((family) => family.usage).join('')}
  --json   prints JSON
  --env    prints lines that a shell can eval
  Scopes:  ${scopes.join(', ')}  (* is every scope)
`

async function run([name = '', ...rest]: readonly string[], around: Surroundings): Promise<void> {
  if (name === '--help' || name === 'help' || rest.includes('--help')) {
    around.stdout.write(usage)
    return
  }
  const cellCommand = await cellFamily.find(name)
  if (cellCommand) {
    const given = readArguments(rest)
    const config = readCellsConfig(around.env)
    return print(await cellCommand(given, config, around), given.values, around)
  }
  const command = await findCommand(name)
  if (!command) throw new UsageError(name ? `There is no command ${name}.` : 'Say what to do.')
  const args = readArguments(rest)
  const config = readAdminConfig(around.env)
  const { Database } = await import('../platform/db/database.ts')
  await using database = new Database(
    { url: config.DATABASE_OWNER_URL, connectionsMax: 2, statementTimeoutSeconds: 60 },
    () => {},
  )
  print(await command(database, args, config, around), args.values, around)
}

async function findCommand(name: string): Promise<Command | undefined> {
  for (const family of families) {
    const command = await family.find(name)
    if (command) return command
  }
  return undefined
}

function print(
  result: object | string,
  form: { json: boolean; env: boolean },
  { stdout }: Surroundings,
): void {
  if (typeof result === 'string') {
    stdout.write(result)
    return
  }
  const lines = form.json ? [JSON.stringify(result)] : Object.entries(result).flatMap(toLines)
  for (const line of lines) stdout.write(`${form.env ? 'export ' : ''}${line}\n`)
}

function toLines([key, value]: [string, unknown]): string[] {
  if (!Array.isArray(value)) return [`${key}=${value}`]
  return value.map((row: object) =>
    Object.entries(row)
      .map(([name, cell]) => `${name}=${cell ?? '-'}`)
      .join('  '),
  )
}

const LOOK_AT_STORAGE =
  'Does storage answer, and are the settings STORAGE_… and BACKUP_STORAGE_… (of a cell, its storage in CELLS_FILE) right?'
const LOOK_AT_DATABASE = 'Is the database running, and DATABASE_OWNER_URL right?'

/** What was said for the operator to read, with what to do. */
const told = [
  ...[DomainError, ConfigError, KeyUnavailable],
  ...[DirectoryFault, MoveRefused, NoSuchCell, Interrupted],
]

/** In words, with what to look at if they say nothing of that. */
async function explain(error: unknown): Promise<string> {
  // Both bring much with them that a command that goes well may not need.
  const { isHeld } = await import('../platform/db/held.ts')
  const { describeAway, isStorageAway } = await import('../platform/storage/availability.ts')
  if (isStorageAway(error)) return `${describeAway(error)}\n${LOOK_AT_STORAGE}\n`
  const words = error instanceof Error ? error.message : String(error)
  if (isHeld(error))
    return `${words}. Run release-organization: it releases what the operator held, and says of the others what is to be done\n`
  return told.some((ours) => error instanceof ours)
    ? `${words}\n`
    : `${words}\n${LOOK_AT_DATABASE}\n`
}

const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true

export async function administer(words: readonly string[], around: Surroundings): Promise<void> {
  try {
    await run(words, around)
  } catch (error) {
    const why = isUsage(error) ? `${error.message}\n\n${usage}` : await explain(error)
    around.stderr.write(`reelkeep admin: ${why}`)
    around.exitCode = 1
  }
}

if (import.meta.main) await administer(process.argv.slice(2), process)
