/**
 * `node server/src/main/doctor.ts [api|worker]`: what is wrong with the settings in its
 * environment, for an operator at the server. It finds what `/doctor` of the operations ports
 * tells, also where a process does not even start.
 */
import { parseArgs } from 'node:util'
import { ConfigError, readApiConfig, readWorkerConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import { type Examination, examine, type Finding } from '../platform/doctor/finding.ts'
import { apiExaminations } from './api-examinations.ts'
import type { Surroundings } from './surroundings.ts'
import { workerExaminations } from './worker-examinations.ts'

const usage = `reelkeep doctor [api|worker] [--json]

  api      the database, storage and its buckets, who works; with the API's settings in the environment
  worker   the same from a worker, and its sandbox, ffmpeg and disk; with a worker's settings
  Both, if neither is named. The exit code is 7 if there is a fault, and 1 if settings are missing to examine one of them.
`

/** The command line's own `doctor` has the same. */
const FAULT_FOUND = 7
const WRONG_USAGE = 2
const NOT_EXAMINED = 1

const parts: Record<string, (env: NodeJS.ProcessEnv) => Part> = {
  api: (env) => {
    const config = readApiConfig(env)
    return partOf(config.DATABASE_URL, (database) => apiExaminations({ config, database }))
  },
  worker: (env) => {
    const config = readWorkerConfig(env)
    return partOf(config.DATABASE_WORKER_URL, (database) =>
      workerExaminations({ config, database }),
    )
  },
}

type Part = { readonly database: Database; readonly examinations: readonly Examination[] }

function partOf(url: string, listed: (database: Database) => readonly Examination[]): Part {
  const database = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
  return { database, examinations: listed(database) }
}

const marks = { fine: 'ok     ', warning: 'warning', fault: 'FAULT  ', skipped: 'skipped' } as const

function show({ name, state, detail, cure }: Finding): string {
  const line = `${marks[state]}  ${name}: ${detail}`
  return cure === null ? line : `${line}\n         ${cure}`
}

/** Words that mean nothing here. */
class UsageError extends Error {}

function readWords(args: readonly string[]) {
  const { values, positionals } = parsed(args)
  const asked = positionals.length > 0 ? positionals : Object.keys(parts)
  const unknown = asked.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) throw new UsageError(`There is no “${unknown}” to be examined.`)
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

async function run(given: readonly string[], around: Surroundings): Promise<void> {
  const { isHelp, isJson, asked } = readWords(given)
  if (isHelp) {
    around.stdout.write(usage)
    return
  }
  const findings: Finding[] = []
  const unreadable: string[] = []
  for (const name of asked) {
    try {
      findings.push(...(await findingsOf(name, around.env)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      unreadable.push(`${name} was not examined. ${error.message}`)
    }
  }
  if (findings.length > 0) around.stdout.write(`${told(findings, isJson)}\n`)
  if (findings.some(({ state }) => state === 'fault')) around.exitCode = FAULT_FOUND
  // A container has the settings of one part: what they suffice for has been told by now.
  if (unreadable.length > 0) throw new ConfigError(unreadable.join('\n'))
}

async function findingsOf(name: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const part = parts[name]?.(env)
  if (!part) return []
  await using _ = part.database
  return await examine(part.examinations)
}

const told = (findings: readonly Finding[], isJson: boolean) =>
  isJson ? JSON.stringify({ findings }, null, 2) : findings.map(show).join('\n')

export async function examineByWords(
  given: readonly string[],
  around: Surroundings,
): Promise<void> {
  try {
    await run(given, around)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isTold = isUsage || error instanceof ConfigError
    around.stderr.write(`reelkeep doctor: ${isTold ? error.message : String(error)}\n`)
    if (isUsage) around.stderr.write(`\n${usage}`)
    around.exitCode = isUsage ? WRONG_USAGE : NOT_EXAMINED
  }
}

if (import.meta.main) await examineByWords(process.argv.slice(2), process)
