/**
 * `node server/src/main/admin.ts COMMAND`: what only the operator may do, from the server's own command
 * line. It connects as the owner of the database. The commands are in `admin/`, a file for each family.
 */
import { scopes } from '@reelkeep/contract'
import { KeyUnavailable } from '../capabilities/content-keys/content-keys.ts'
import { DirectoryFault } from '../cells/directory.ts'
import { MoveRefused } from '../cells/move/move-refused.ts'
import { NoSuchCell } from '../cells/placement.ts'
import { DomainError } from '../kernel/errors.ts'
import { ConfigError, readAdminConfig, readCellsConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import { isHeld } from '../platform/db/held.ts'
import { describeAway, isStorageAway } from '../platform/storage/availability.ts'
import { cellCommands } from './admin/cell-commands.ts'
import { type Command, readArguments, UsageError } from './admin/command.ts'
import { Interrupted } from './admin/interruption.ts'
import { jobCommands } from './admin/job-commands.ts'
import { keyCommands } from './admin/key-commands.ts'
import { organizationCommands } from './admin/organization-commands.ts'
import { storageCommands } from './admin/storage-commands.ts'
import { tokenCommands } from './admin/token-commands.ts'

const families = [organizationCommands, tokenCommands, jobCommands, keyCommands, storageCommands]

const commands = new Map<string, Command>(
  families.flatMap((family) => Object.entries(family.commands)),
)

const usage = `reelkeep admin: organizations, their tokens and keys, jobs that failed, backups of storage, cells

${[...families, cellCommands].map((family) => family.usage).join('')}
  --json   prints JSON
  --env    prints lines that a shell can eval
  Scopes:  ${scopes.join(', ')}  (* is every scope)
`

async function run([name = '', ...rest]: readonly string[]): Promise<void> {
  if (name === '--help' || name === 'help' || rest.includes('--help')) {
    process.stdout.write(usage)
    return
  }
  const cellCommand = Object.hasOwn(cellCommands.commands, name) && cellCommands.commands[name]
  if (cellCommand) {
    const given = readArguments(rest)
    return print(await cellCommand(given, readCellsConfig()), given.values)
  }
  const command = commands.get(name)
  if (!command) throw new UsageError(name ? `There is no command ${name}.` : 'Say what to do.')
  const args = readArguments(rest)
  const config = readAdminConfig()
  await using database = new Database(
    { url: config.DATABASE_OWNER_URL, connectionsMax: 2, statementTimeoutSeconds: 60 },
    () => {},
  )
  print(await command(database, args, config), args.values)
}

function print(result: object | string, form: { json: boolean; env: boolean }): void {
  if (typeof result === 'string') {
    process.stdout.write(result)
    return
  }
  const lines = form.json ? [JSON.stringify(result)] : Object.entries(result).flatMap(toLines)
  for (const line of lines) process.stdout.write(`${form.env ? 'export ' : ''}${line}\n`)
}

function toLines([key, value]: [string, unknown]): string[] {
  if (!Array.isArray(value)) return [`${key}=${value}`]
  return value.map((row: object) =>
    Object.entries(row)
      .map(([name, cell]) => `${name}=${cell ?? '-'}`)
      .join('  '),
  )
}

const whatToLookAt = (error: unknown) =>
  isStorageAway(error)
    ? 'Does storage answer, and are the settings STORAGE_… and BACKUP_STORAGE_… (of a cell, its storage in CELLS_FILE) right?'
    : 'Is the database running, and DATABASE_OWNER_URL right?'

function wordsOf(error: unknown): string {
  if (isStorageAway(error)) return describeAway(error)
  return error instanceof Error ? error.message : String(error)
}

/** What was said for the operator to read, with what to do. */
const told = [
  ...[DomainError, ConfigError, KeyUnavailable],
  ...[DirectoryFault, MoveRefused, NoSuchCell, Interrupted],
]

try {
  await run(process.argv.slice(2))
} catch (error) {
  const isOurs = told.some((ours) => error instanceof ours)
  const held = isHeld(error)
    ? '. Run release-organization: it releases what the operator held, and says of the others what is to be done'
    : ''
  const message = wordsOf(error) + held
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`reelkeep admin: ${message}\n${isUsage ? `\n${usage}` : ''}`)
  if (!isOurs && !isUsage && !held) process.stderr.write(`${whatToLookAt(error)}\n`)
  process.exitCode = 1
}
