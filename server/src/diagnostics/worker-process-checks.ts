import { tmpdir } from 'node:os'
import {
  findWeightsError,
  freeScratchBytes,
  type MissingFeature,
  missingFeatures,
  openSandbox,
  packagerVersion,
} from '@reelkeep/media'
import type { WorkerConfig } from '../platform/config/env.ts'
import type { Database } from '../platform/db/database.ts'
import type { StorageOptions } from '../platform/storage/client.ts'
import { BucketSettings } from '../platform/storage/setup/bucket-settings.ts'
import { type Check, type CheckOutcome, failed, ok, PROGRAM_CHECK_SECONDS_MAX, warning } from './checks.ts'
import { databaseChecks } from './database-checks.ts'
import { storageChecks, storageClockCheck } from './storage-checks.ts'

const PREFIX = 'worker'

/** Free disk space below which the check warns: enough for a part of a long video in all renditions. */
const FREE_BYTES_WARNED = 4 * 2 ** 30
const FREE_BYTES_MIN = 2 ** 30

/** Checks of a worker: its programs, sandbox and disk, and its connections. */
export function workerProcessChecks({
  config,
  database,
  storage,
}: {
  readonly config: WorkerConfig
  readonly database: Database
  readonly storage: StorageOptions
}): Check[] {
  const settings = new BucketSettings(storage)
  const mode = config.MEDIA_SANDBOX
  const secondsMax = PROGRAM_CHECK_SECONDS_MAX
  return [
    ...databaseChecks(PREFIX, database),
    ...storageChecks(PREFIX, settings),
    storageClockCheck(PREFIX, config.STORAGE_ENDPOINT),
    { name: `${PREFIX}-sandbox`, secondsMax, run: () => sandbox(mode) },
    {
      name: `${PREFIX}-ffmpeg`,
      needs: `${PREFIX}-sandbox`,
      secondsMax,
      run: async (signal) => featuresOutcome(await missingFeatures({ mode }, signal)),
    },
    {
      name: `${PREFIX}-packager`,
      needs: `${PREFIX}-sandbox`,
      secondsMax,
      run: async (signal) => ok(`Shaka Packager ${await packagerVersion({ mode }, signal)} runs.`),
    },
    { name: `${PREFIX}-space`, run: space },
    { name: `${PREFIX}-transcriber`, secondsMax, run: () => transcriber(config) },
  ]
}

/** Runs FFmpeg in the sandbox, because a kernel that forbids user namespaces reports that only then. */
async function sandbox(mode: WorkerConfig['MEDIA_SANDBOX']): Promise<CheckOutcome> {
  try {
    const { ffmpegVersion } = await openSandbox({ mode })
    if (mode === 'bubblewrap') return ok(`FFmpeg ${ffmpegVersion} runs in the sandbox.`)
    return warning(
      `FFmpeg ${ffmpegVersion} reads uploaded files without our sandbox (MEDIA_SANDBOX=none).`,
      'Isolate the whole worker by other means, or set MEDIA_SANDBOX=bubblewrap.',
    )
  } catch (error) {
    return failed(
      `Programs cannot run in the sandbox: ${(error as Error).message}`,
      'Install bubblewrap, socat and ffmpeg from Debian, and allow this user to create namespaces (kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that allows unshare).',
    )
  }
}

function featuresOutcome(missing: readonly MissingFeature[]): CheckOutcome {
  if (missing.length === 0) return ok('FFmpeg has all required features.')
  const lacks = missing.map(({ kind, name }) => `${name} (${kind})`).join(', ')
  return failed(
    `FFmpeg lacks ${lacks}: videos that need it fail.`,
    'Install Debian’s ffmpeg, or a build with these features, and restart the worker.',
  )
}

async function space(): Promise<CheckOutcome> {
  const free = await freeScratchBytes()
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB are free in ${tmpdir()}, where parts are encoded.`
  if (free >= FREE_BYTES_WARNED) return ok(detail)
  const hint = 'Free some space there, or set another TMPDIR for the worker.'
  return free < FREE_BYTES_MIN ? failed(detail, hint) : warning(detail, hint)
}

async function transcriber({ TRANSCRIBER, TRANSCRIBER_URL }: WorkerConfig): Promise<CheckOutcome> {
  if (TRANSCRIBER === 'none') return ok('No subtitles are generated: TRANSCRIBER is none.')
  if (TRANSCRIBER === 'openai') return ok(`Subtitles are transcribed by ${new URL(TRANSCRIBER_URL ?? '').origin}.`)
  const error = await findWeightsError()
  if (error === undefined) return ok('The models of the built-in transcriber are installed.')
  return failed(
    `The built-in transcriber cannot be used: ${error}`,
    'Install the packages again (pnpm install --prod --frozen-lockfile), or set TRANSCRIBER=none.',
  )
}
