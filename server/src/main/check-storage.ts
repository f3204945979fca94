/**
 * `node server/src/main/check-storage.ts`: checks whether the service can run on an S3 storage, given by the
 * STORAGE_… settings, in a bucket of its own.
 */
import { parseArgs } from 'node:util'
import { checkStorage } from '../diagnostics/storage-compatibility/check.ts'
import { ProbeFailure, type ProbeResult } from '../diagnostics/storage-compatibility/probe.ts'
import {
  type CompatibilityReport,
  compatibilityReport,
  isCompatible,
} from '../diagnostics/storage-compatibility/report.rules.ts'
import { ConfigError, readStorageSetupConfig } from '../platform/config/env.ts'
import { explainSetupError } from '../platform/storage/setup/setup-errors.ts'
import type { CommandIo } from './environment.ts'
import { storageOptions } from './wiring/storage-options.ts'

const usage = `reelkeep check-storage [--bucket NAME] [--notify-at URL] [--json]

  Tries everything the service needs on the storage of STORAGE_ENDPOINT, STORAGE_ACCESS_KEY_ID and STORAGE_SECRET_ACCESS_KEY, in a
  bucket that it creates and deletes. Nothing else is changed. The verdict is "everything", "parts only" or "unfit".

  --bucket NAME     an empty bucket to use instead, if the key may not create one; its settings are changed
  --notify-at URL   a URL of this machine that storage can reach: also checks notifications
  --json            prints the verdict and all results as JSON

  The exit code is 0 if the storage supports the current settings, 3 if it needs other settings, which are printed, 7 if it is
  unfit, and 1 if it could not be checked.
`

const [COULD_NOT_TRY, WRONG_USAGE, OTHER_SETTINGS, UNFIT] = [1, 2, 3, 7]

/** Some storages take a while to apply a rule. */
const SPREAD_SECONDS_MAX = 30

/** Invalid command line. */
class UsageError extends Error {}

function parseArguments(args: readonly string[]) {
  const options = {
    bucket: { type: 'string' },
    'notify-at': { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  try {
    const { values } = parseArgs({ args: [...args], options })
    return { ...values, notifyAt: toAddress(values['notify-at']) }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function toAddress(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const address = URL.parse(text)
  if (address?.protocol === 'http:') return address
  throw new UsageError('--notify-at must be a URL such as http://10.0.0.5:9999')
}

function mark({ state, need }: ProbeResult): string {
  if (state === 'passed') return 'ok     '
  if (state === 'skipped') return 'skipped'
  return need === 'better' ? 'warning' : 'FAILED '
}

const NAME_WIDTH = 16

function show(result: ProbeResult): string {
  const line = `${mark(result)}  ${result.name.padEnd(NAME_WIDTH)}  ${result.detail}`
  return result.cure === null ? line : `${line}\n${' '.repeat(NAME_WIDTH + 11)}${result.cure}`
}

function conclude({ verdict, settings }: CompatibilityReport, isServed: boolean): string {
  const line = `\nVerdict: ${verdict}`
  if (verdict === 'unfit') return `${line}. The service cannot run on this storage.`
  if (isServed) return `${line}. The settings are right for it.`
  const off = Object.entries(settings).filter(([, value]) => value === 'off')
  const wanted = off.map(([name, value]) => `${name}=${value}`).join(' and ')
  return `${line}. Set ${wanted} for the API, every worker and setup-storage.`
}

async function run(given: readonly string[], io: CommandIo): Promise<void> {
  const options = parseArguments(given)
  const say = (text: string) => io.stdout.write(`${text}\n`)
  if (options.help) return void say(usage.trimEnd())
  const config = readStorageSetupConfig(io.env)
  const input = {
    bucket: options.bucket,
    notifyAt: options.notifyAt,
    spreadSecondsMax: SPREAD_SECONDS_MAX,
  }
  const tell = options.json ? () => {} : (result: ProbeResult) => say(show(result))
  const { results, leftBucket } = await checkStorage(storageOptions(config), input, tell)
  const fitness = compatibilityReport(results)
  const isServed = isCompatible(fitness, config)
  say(
    options.json
      ? JSON.stringify(
          { ...fitness, is_served: isServed, left_bucket: leftBucket, trials: results },
          null,
          2,
        )
      : conclude(fitness, isServed),
  )
  if (leftBucket !== null)
    io.stderr.write(`The bucket ${leftBucket} could not be emptied. Delete it manually.\n`)
  if (!isServed) io.exitCode = fitness.verdict === 'unfit' ? UNFIT : OTHER_SETTINGS
}

export async function runCheckStorage(given: readonly string[], io: CommandIo): Promise<void> {
  try {
    await run(given, io)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isTold = isUsage || error instanceof ConfigError || error instanceof ProbeFailure
    const why = isTold ? error.message : explainSetupError(error as Error)
    io.stderr.write(`reelkeep check-storage: ${why}\n`)
    if (isUsage) io.stderr.write(`\n${usage}`)
    io.exitCode = isUsage ? WRONG_USAGE : COULD_NOT_TRY
  }
}

if (import.meta.main) await runCheckStorage(process.argv.slice(2), process)
