/**
 * `node server/src/main/check-storage.ts`: checks whether the service can run on an S3 storage, given by the
 * STORAGE_… settings, in a bucket of its own.
 */
import { parseArgs } from 'node:util'
import { CheckFailure, renderResult } from '../diagnostics/checks.ts'
import { checkCompatibility } from '../diagnostics/storage-compatibility/check-compatibility.ts'
import {
  type Compatibility,
  determineCompatibility,
  isCompatible,
} from '../diagnostics/storage-compatibility/compatibility.rules.ts'
import { readStorageSetupConfig } from '../platform/config/env.ts'
import { explainSetupError } from '../platform/storage/setup/setup-errors.ts'
import { type CommandIo, printErrors, UsageError } from './command-io.ts'
import { storageOptions } from './wiring/storage-options.ts'

const usage = `reelkeep check-storage [--bucket NAME] [--notify-at URL] [--json]

  Tries everything the service needs on the storage of STORAGE_ENDPOINT, STORAGE_ACCESS_KEY_ID and
  STORAGE_SECRET_ACCESS_KEY, in a bucket that it creates and deletes. Nothing else is changed.
  The compatibility is "full", "parts_only" or "incompatible".

  --bucket NAME     an empty bucket to use instead, if the key may not create one; its settings are changed
  --notify-at URL   a URL of this machine that storage can reach: also checks notifications
  --json            prints the compatibility and all results as JSON

  The exit code is 0 if the storage supports the current settings, 3 if it needs other settings, which
  are printed, 7 if it is incompatible, and 1 if it could not be checked.
`

const exitCodes = { otherSettings: 3, incompatible: 7 }

/** Maximum wait for a CORS rule to take effect or a notification to arrive: some storage services take a while. */
const PROPAGATION_SECONDS_MAX = 30

function parseArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      bucket: { type: 'string' },
      'notify-at': { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  return { ...values, notifyAt: parseNotifyAt(values['notify-at']) }
}

function parseNotifyAt(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url?.protocol === 'http:') return url
  throw new UsageError('--notify-at must be a URL such as http://10.0.0.5:9999')
}

function renderSummary({ compatibility, settings }: Compatibility, isSupported: boolean): string {
  const line = `\nCompatibility: ${compatibility}`
  if (compatibility === 'incompatible') return `${line}. The service cannot run on this storage.`
  if (isSupported) return `${line}. The settings are right for it.`
  const off = Object.entries(settings).filter(([, value]) => value === 'off')
  const needed = off.map(([name, value]) => `${name}=${value}`).join(' and ')
  return `${line}. Set ${needed} for the API, every worker and setup-storage.`
}

async function run(args: readonly string[], io: CommandIo): Promise<void> {
  const { help, json, bucket, notifyAt } = parseArguments(args)
  const print = (text: string) => void io.stdout.write(`${text}\n`)
  if (help) return print(usage.trimEnd())
  const config = readStorageSetupConfig(io.env)
  const { results, leftoverBucket } = await checkCompatibility(
    storageOptions(config),
    { bucket, notifyAt, propagationSecondsMax: PROPAGATION_SECONDS_MAX },
    json ? () => {} : (result) => print(renderResult(result)),
  )
  const found = determineCompatibility(results)
  const isSupported = isCompatible(found, config)
  const report = {
    ...found,
    supports_current_settings: isSupported,
    leftover_bucket: leftoverBucket,
    results,
  }
  print(json ? JSON.stringify(report, null, 2) : renderSummary(found, isSupported))
  if (leftoverBucket !== null)
    io.stderr.write(`The bucket ${leftoverBucket} could not be emptied. Delete it manually.\n`)
  if (isSupported) return
  const isIncompatible = found.compatibility === 'incompatible'
  io.exitCode = isIncompatible ? exitCodes.incompatible : exitCodes.otherSettings
}

const explain = (error: Error) => (error instanceof CheckFailure ? error.message : explainSetupError(error))

export const runCheckStorage = (args: readonly string[], io: CommandIo): Promise<void> =>
  printErrors({ name: 'check-storage', usage, explain }, io, () => run(args, io))

if (import.meta.main) await runCheckStorage(process.argv.slice(2), process)
