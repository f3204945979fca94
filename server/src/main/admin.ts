/**
 * `node server/src/main/admin.ts COMMAND`: commands for operators on the server. It connects as the owner of the
 * database. The commands are in `admin/`, one file per family.
 */
import { scopes } from '@reelkeep/contract'
import { DirectoryError } from '../cells/directory.ts'
import { MoveRefused } from '../cells/move/move-refused.ts'
import { NoSuchCell } from '../cells/placement.ts'
import { DomainError } from '../kernel/errors.ts'
import { ConfigError, readAdminConfig, readCellsConfig } from '../platform/config/env.ts'
import { KeyUnavailable } from '../platform/crypto/wrapping.ts'
import { type Command, readArguments } from './admin/command.ts'
import { cellFamily, families } from './admin/families.ts'
import { Interrupted } from './admin/interruption.ts'
import { type CommandIo, isUsageError, UsageError } from './command-io.ts'

const usage = `reelkeep admin: organizations, tokens and keys, failed jobs, storage backups, cells

${[...families, cellFamily].map((family) => family.usage).join('')}
  --json                              prints JSON
  --env                               prints lines for eval in a shell

  Scopes: ${scopes.join(', ')} (* is every scope)
`

async function run([name = '', ...rest]: readonly string[], io: CommandIo): Promise<void> {
  if (name === '--help' || name === 'help' || rest.includes('--help')) {
    io.stdout.write(usage)
    return
  }
  const cellCommand = await cellFamily.find(name)
  if (cellCommand) {
    const args = readArguments(rest)
    const config = readCellsConfig(io.env)
    return print(await cellCommand(args, config, io), args.values, io)
  }
  const command = await findCommand(name)
  if (!command) throw new UsageError(name ? `There is no command ${name}.` : 'A command is missing.')
  const args = readArguments(rest)
  const config = readAdminConfig(io.env)
  const { Database } = await import('../platform/db/database.ts')
  await using database = new Database(
    { url: config.DATABASE_OWNER_URL, connectionsMax: 2, statementTimeoutSeconds: 60 },
    () => {},
  )
  database.recordChanges((await import('./admin/command-records.ts')).commandRecords(name))
  print(await command(database, args, config, io), args.values, io)
}

async function findCommand(name: string): Promise<Command | undefined> {
  for (const family of families) {
    const command = await family.find(name)
    if (command) return command
  }
  return undefined
}

function print(result: object | string, format: { json: boolean; env: boolean }, { stdout }: CommandIo): void {
  if (typeof result === 'string') {
    stdout.write(result)
    return
  }
  const lines = format.json ? [JSON.stringify(result)] : Object.entries(result).flatMap(toLines)
  for (const line of lines) stdout.write(`${format.env ? 'export ' : ''}${line}\n`)
}

function toLines([key, value]: [string, unknown]): string[] {
  if (!Array.isArray(value)) return [`${key}=${value}`]
  return value.map((row: object) =>
    Object.entries(row)
      .map(([name, cell]) => `${name}=${cell ?? '-'}`)
      .join('  '),
  )
}

const CHECK_STORAGE =
  'Check that storage is running and that the settings STORAGE_… and BACKUP_STORAGE_… (for a cell: its storage in CELLS_FILE) are right.'
const CHECK_DATABASE = 'Check that the database is running and that DATABASE_OWNER_URL is right.'

/** Errors whose message already says what to do. */
const explained = [
  ...[DomainError, ConfigError, KeyUnavailable],
  ...[DirectoryError, MoveRefused, NoSuchCell, Interrupted],
]

/** Returns the error message for the operator, with a hint if it contains none. */
async function explain(error: unknown): Promise<string> {
  // Imports these modules on demand, because they load much code that a successful command may not need.
  const { isSuspended } = await import('../platform/db/suspension.ts')
  const { describeUnavailable, isStorageUnavailable } = await import('../platform/storage/availability.ts')
  if (isStorageUnavailable(error)) return `${describeUnavailable(error)}\n${CHECK_STORAGE}\n`
  const message = error instanceof Error ? error.message : String(error)
  if (isSuspended(error))
    return `${message}. Run resume-organization: it ends a suspension by the operator, and says what to do about others\n`
  return explained.some((type) => error instanceof type) ? `${message}\n` : `${message}\n${CHECK_DATABASE}\n`
}

export async function administer(args: readonly string[], io: CommandIo): Promise<void> {
  try {
    await run(args, io)
  } catch (error) {
    const message = isUsageError(error) ? `${error.message}\n\n${usage}` : await explain(error)
    io.stderr.write(`reelkeep admin: ${message}`)
    io.exitCode = 1
  }
}

if (import.meta.main) await administer(process.argv.slice(2), process)
