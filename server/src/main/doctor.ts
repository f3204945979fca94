/**
 * `node server/src/main/doctor.ts [api|worker]`: checks the installation with the settings in its environment, for
 * operators. It runs the checks of `/doctor` on the operations ports, and also works if a process does not start.
 */
import { parseArgs } from 'node:util'
import { apiChecks } from '../diagnostics/api-checks.ts'
import { type Check, type CheckResult, renderResult, runChecks } from '../diagnostics/checks.ts'
import { workerProcessChecks } from '../diagnostics/worker-process-checks.ts'
import { ConfigError, readApiConfig, readWorkerConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import { type CommandIo, printErrors, UsageError } from './command-io.ts'
import { storageOptions } from './wiring/storage-options.ts'

const usage = `reelkeep doctor [api|worker] [--json]

  api      checks the database, storage, buckets and workers, with the API's settings in the environment
  worker   the same from a worker, and its sandbox, ffmpeg and disk, with a worker's settings

  Default: both. The exit code is 7 if a check fails, and 1 if settings are missing for one of them.
`

/** Exit code for a failed check, equal to that of the CLI's `doctor`. */
const CHECK_FAILED = 7

const targets: Record<string, (env: NodeJS.ProcessEnv) => Promise<CheckResult[]>> = {
  api: (env) => {
    const config = readApiConfig(env)
    const storage = storageOptions(config)
    return checkWith(config.DATABASE_URL, (database) => apiChecks({ config, database, storage }))
  },
  worker: (env) => {
    const config = readWorkerConfig(env)
    const storage = storageOptions(config)
    return checkWith(config.DATABASE_WORKER_URL, (database) => workerProcessChecks({ config, database, storage }))
  },
}

async function checkWith(url: string, checksFor: (database: Database) => readonly Check[]): Promise<CheckResult[]> {
  await using database = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
  return await runChecks(checksFor(database))
}

function parseArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const names = positionals.length > 0 ? positionals : Object.keys(targets)
  const unknown = names.find((name) => !Object.hasOwn(targets, name))
  if (unknown !== undefined) throw new UsageError(`Unknown target “${unknown}”. Use api or worker.`)
  return { ...values, names }
}

async function run(args: readonly string[], io: CommandIo): Promise<void> {
  const { help, json, names } = parseArguments(args)
  if (help) {
    io.stdout.write(usage)
    return
  }
  const results: CheckResult[] = []
  const configErrors: string[] = []
  for (const name of names) {
    try {
      results.push(...((await targets[name]?.(io.env)) ?? []))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      configErrors.push(`${name} was not checked. ${error.message}`)
    }
  }
  const text = json ? JSON.stringify({ results }, null, 2) : results.map(renderResult).join('\n')
  if (results.length > 0) io.stdout.write(`${text}\n`)
  if (results.some(({ status }) => status === 'failed')) io.exitCode = CHECK_FAILED
  // Invalid settings are reported after the results, because a container has the settings of only one target.
  if (configErrors.length > 0) throw new ConfigError(configErrors.join('\n'))
}

export const runDoctor = (args: readonly string[], io: CommandIo): Promise<void> =>
  printErrors({ name: 'doctor', usage, explain: String }, io, () => run(args, io))

if (import.meta.main) await runDoctor(process.argv.slice(2), process)
