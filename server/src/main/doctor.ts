/**
 * `node server/src/main/doctor.ts [api|worker]`: checks the installation with the settings in its environment, for
 * operators. It runs the checks of `/doctor` on the operations ports, also if a process does not start.
 */
import { parseArgs } from 'node:util'
import { apiChecks } from '../diagnostics/api-checks.ts'
import { type Check, type CheckResult, runChecks } from '../diagnostics/checks.ts'
import { workerProcessChecks } from '../diagnostics/worker-process-checks.ts'
import { ConfigError, readApiConfig, readWorkerConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import type { CommandIo } from './environment.ts'
import { storageOptions } from './wiring/storage-options.ts'

const usage = `reelkeep doctor [api|worker] [--json]

  api      checks the database, storage, buckets and workers, with the API's settings in the environment
  worker   the same from a worker, and its sandbox, ffmpeg and disk, with a worker's settings
  Default: both. The exit code is 7 if a check fails, and 1 if settings are missing for one of them.
`

/** The same as for `doctor` of the CLI. */
const FAULT_FOUND = 7
const WRONG_USAGE = 2
const NOT_EXAMINED = 1

const parts: Record<string, (env: NodeJS.ProcessEnv) => Part> = {
  api: (env) => {
    const config = readApiConfig(env)
    return partOf(config.DATABASE_URL, (database) =>
      apiChecks({ config, database, storage: storageOptions(config) }),
    )
  },
  worker: (env) => {
    const config = readWorkerConfig(env)
    return partOf(config.DATABASE_WORKER_URL, (database) =>
      workerProcessChecks({ config, database, storage: storageOptions(config) }),
    )
  },
}

type Part = { readonly database: Database; readonly examinations: readonly Check[] }

function partOf(url: string, listed: (database: Database) => readonly Check[]): Part {
  const database = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
  return { database, examinations: listed(database) }
}

const marks = { fine: 'ok     ', warning: 'warning', fault: 'FAULT  ', skipped: 'skipped' } as const

function show({ name, state, detail, cure }: CheckResult): string {
  const line = `${marks[state]}  ${name}: ${detail}`
  return cure === null ? line : `${line}\n         ${cure}`
}

/** Invalid command line. */
class UsageError extends Error {}

function parseArguments(args: readonly string[]) {
  const { values, positionals } = parsed(args)
  const asked = positionals.length > 0 ? positionals : Object.keys(parts)
  const unknown = asked.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) throw new UsageError(`Unknown part “${unknown}”. Use api or worker.`)
  return { isHelp: values.help === true, isJson: values.json === true, asked }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function run(given: readonly string[], io: CommandIo): Promise<void> {
  const { isHelp, isJson, asked } = parseArguments(given)
  if (isHelp) {
    io.stdout.write(usage)
    return
  }
  const results: CheckResult[] = []
  const unreadable: string[] = []
  for (const name of asked) {
    try {
      results.push(...(await resultsOf(name, io.env)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      unreadable.push(`${name} was not checked. ${error.message}`)
    }
  }
  if (results.length > 0) io.stdout.write(`${rendered(results, isJson)}\n`)
  if (results.some(({ state }) => state === 'fault')) io.exitCode = FAULT_FOUND
  // A container has the settings of one part: its results are printed before this error.
  if (unreadable.length > 0) throw new ConfigError(unreadable.join('\n'))
}

async function resultsOf(name: string, env: NodeJS.ProcessEnv): Promise<CheckResult[]> {
  const part = parts[name]?.(env)
  if (!part) return []
  await using _ = part.database
  return await runChecks(part.examinations)
}

const rendered = (results: readonly CheckResult[], isJson: boolean) =>
  isJson ? JSON.stringify({ findings: results }, null, 2) : results.map(show).join('\n')

export async function runDoctor(given: readonly string[], io: CommandIo): Promise<void> {
  try {
    await run(given, io)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isTold = isUsage || error instanceof ConfigError
    io.stderr.write(`reelkeep doctor: ${isTold ? error.message : String(error)}\n`)
    if (isUsage) io.stderr.write(`\n${usage}`)
    io.exitCode = isUsage ? WRONG_USAGE : NOT_EXAMINED
  }
}

if (import.meta.main) await runDoctor(process.argv.slice(2), process)
