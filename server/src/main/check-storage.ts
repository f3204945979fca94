/**
 * `node server/src/main/check-storage.ts`: whether the service can live on a storage, tried in a
 * bucket of its own. Any S3 in, by the STORAGE_… settings; a verdict out.
 */
import { parseArgs } from 'node:util'
import { ConfigError, readStorageSetupConfig } from '../platform/config/env.ts'
import { checkStorage } from '../platform/storage/compatibility/check.ts'
import { type Result, Shortcoming } from '../platform/storage/compatibility/trial.ts'
import {
  type Fitness,
  isServedBy,
  judgeStorage,
} from '../platform/storage/compatibility/verdict.rules.ts'
import { explainSetupFault } from '../platform/storage/setup-faults.ts'
import { storageOptions } from './storage-options.ts'
import type { Surroundings } from './surroundings.ts'

const usage = `reelkeep check-storage [--bucket NAME] [--notify-at URL] [--json]

  Tries what the service needs of the storage that STORAGE_ENDPOINT, STORAGE_ACCESS_KEY_ID and STORAGE_SECRET_ACCESS_KEY name, in a
  bucket that it makes and deletes. Nothing else is touched. The verdict is "everything", "parts only" or "unfit".

  --bucket NAME     an empty bucket to use instead, where the key may make none; its settings are changed
  --notify-at URL   an address of this machine that storage reaches: also see whether its messages arrive
  --json            the verdict and all that was tried, as JSON

  The exit code is 0 if the storage does what the settings ask of it, 3 if it would with other settings, which are named, 7 if it is
  unfit, and 1 if it could not be tried.
`

const [COULD_NOT_TRY, WRONG_USAGE, OTHER_SETTINGS, UNFIT] = [1, 2, 3, 7]

/** Some storages take a while to spread a rule. */
const SPREAD_SECONDS_MAX = 30

/** Words that mean nothing here. */
class UsageError extends Error {}

function readWords(args: readonly string[]) {
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
  throw new UsageError('--notify-at takes an address such as http://10.0.0.5:9999')
}

function mark({ state, need }: Result): string {
  if (state === 'passed') return 'ok     '
  if (state === 'skipped') return 'skipped'
  return need === 'better' ? 'warning' : 'FAILED '
}

const NAME_WIDTH = 16

function show(result: Result): string {
  const line = `${mark(result)}  ${result.name.padEnd(NAME_WIDTH)}  ${result.detail}`
  return result.cure === null ? line : `${line}\n${' '.repeat(NAME_WIDTH + 11)}${result.cure}`
}

function conclude({ verdict, settings }: Fitness, isServed: boolean): string {
  const said = `\nVerdict: ${verdict}`
  if (verdict === 'unfit') return `${said}. The service cannot run on this storage.`
  if (isServed) return `${said}. The settings are right for it.`
  const off = Object.entries(settings).filter(([, value]) => value === 'off')
  const wanted = off.map(([name, value]) => `${name}=${value}`).join(' and ')
  return `${said}. Set ${wanted} for the API, every worker and setup-storage.`
}

async function run(given: readonly string[], around: Surroundings): Promise<void> {
  const words = readWords(given)
  const say = (text: string) => around.stdout.write(`${text}\n`)
  if (words.help) return void say(usage.trimEnd())
  const config = readStorageSetupConfig(around.env)
  const wish = {
    bucket: words.bucket,
    notifyAt: words.notifyAt,
    spreadSecondsMax: SPREAD_SECONDS_MAX,
  }
  const tell = words.json ? () => {} : (result: Result) => say(show(result))
  const { results, leftBucket } = await checkStorage(storageOptions(config), wish, tell)
  const fitness = judgeStorage(results)
  const isServed = isServedBy(fitness, config)
  say(
    words.json
      ? JSON.stringify(
          { ...fitness, is_served: isServed, left_bucket: leftBucket, trials: results },
          null,
          2,
        )
      : conclude(fitness, isServed),
  )
  if (leftBucket !== null)
    around.stderr.write(`The bucket ${leftBucket} could not be cleared: do it by hand.\n`)
  if (!isServed) around.exitCode = fitness.verdict === 'unfit' ? UNFIT : OTHER_SETTINGS
}

export async function checkStorageByWords(
  given: readonly string[],
  around: Surroundings,
): Promise<void> {
  try {
    await run(given, around)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isTold = isUsage || error instanceof ConfigError || error instanceof Shortcoming
    const why = isTold ? error.message : explainSetupFault(error as Error)
    around.stderr.write(`reelkeep check-storage: ${why}\n`)
    if (isUsage) around.stderr.write(`\n${usage}`)
    around.exitCode = isUsage ? WRONG_USAGE : COULD_NOT_TRY
  }
}

if (import.meta.main) await checkStorageByWords(process.argv.slice(2), process)
