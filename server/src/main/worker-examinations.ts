import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import {
  type MissingAbility,
  missingAbilities,
  openSandbox,
  packagerVersion,
  weightsFault,
} from '@reelkeep/media'
import type { WorkerConfig } from '../platform/config/env.ts'
import { databaseExaminations } from '../platform/doctor/database-examinations.ts'
import {
  type Examination,
  fault,
  fine,
  PROGRAMS_SECONDS_MAX,
  type Verdict,
  warning,
} from '../platform/doctor/finding.ts'
import {
  storageClockExamination,
  storageExaminations,
} from '../platform/doctor/storage-examinations.ts'
import { BucketSettings } from '../platform/storage/bucket-settings.ts'
import type { WorkerContext } from './context.ts'
import { storageOptions } from './storage-options.ts'

const WHO = 'worker'

/** A part of a long video in all its sizes, with room to spare. */
const SPACE_BYTES_WARNED = 4 * 2 ** 30
const SPACE_BYTES_MIN = 2 ** 30

/** What only a worker's machine can know: its programs, their sandbox, its disk; and whether it reaches the rest. */
export function workerExaminations({
  config,
  database,
}: Pick<WorkerContext, 'config' | 'database'>): Examination[] {
  const mode = config.MEDIA_SANDBOX
  const secondsMax = PROGRAMS_SECONDS_MAX
  return [
    ...databaseExaminations(WHO, database),
    ...storageExaminations(WHO, new BucketSettings(storageOptions(config))),
    storageClockExamination(WHO, config.STORAGE_ENDPOINT),
    { name: `${WHO}-sandbox`, secondsMax, look: () => sandbox(mode) },
    {
      name: `${WHO}-ffmpeg`,
      needs: `${WHO}-sandbox`,
      secondsMax,
      look: async (signal) => judgeAbilities(await missingAbilities({ mode }, signal)),
    },
    {
      name: `${WHO}-packager`,
      needs: `${WHO}-sandbox`,
      secondsMax,
      look: async (signal) =>
        fine(`Shaka Packager ${await packagerVersion({ mode }, signal)} runs.`),
    },
    { name: `${WHO}-space`, look: space },
    { name: `${WHO}-recogniser`, secondsMax, look: () => recogniser(config) },
  ]
}

/** Really run: a kernel that forbids user namespaces says so only then. */
async function sandbox(mode: WorkerConfig['MEDIA_SANDBOX']): Promise<Verdict> {
  try {
    const { ffmpegVersion } = await openSandbox({ mode })
    if (mode === 'bubblewrap') return fine(`FFmpeg ${ffmpegVersion} runs in the sandbox.`)
    return warning(
      `FFmpeg ${ffmpegVersion} reads uploaded files without a sandbox of ours (MEDIA_SANDBOX=none).`,
      'See that the whole worker is shut in by other means, or set MEDIA_SANDBOX=bubblewrap.',
    )
  } catch (error) {
    return fault(
      `Programs cannot be run in the sandbox: ${(error as Error).message}`,
      'Install bubblewrap, socat and ffmpeg from Debian, and let this user make namespaces (kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that allows unshare).',
    )
  }
}

function judgeAbilities(missing: readonly MissingAbility[]): Verdict {
  if (missing.length === 0) return fine('FFmpeg can do all that we ask of it.')
  const lacks = missing.map(({ kind, name }) => `${name} (${kind})`).join(', ')
  return fault(
    `FFmpeg lacks ${lacks}: videos that need it fail.`,
    'Install Debian’s ffmpeg, or a build with these parts, and restart the worker.',
  )
}

async function space(): Promise<Verdict> {
  const { bavail, bsize } = await statfs(tmpdir())
  const free = bavail * bsize
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB are free in ${tmpdir()}, where parts are made.`
  if (free >= SPACE_BYTES_WARNED) return fine(detail)
  const cure = 'Make room there, or give the worker another TMPDIR.'
  return free < SPACE_BYTES_MIN ? fault(detail, cure) : warning(detail, cure)
}

async function recogniser({ RECOGNISER, RECOGNISER_URL }: WorkerConfig): Promise<Verdict> {
  if (RECOGNISER === 'none') return fine('No subtitles are made: RECOGNISER is none.')
  if (RECOGNISER === 'openai')
    return fine(`Words are asked of ${new URL(RECOGNISER_URL ?? '').origin}.`)
  const why = await weightsFault()
  if (why === undefined) return fine('The models of the built-in recogniser are there.')
  return fault(
    `The built-in recogniser cannot be used: ${why}`,
    'Install the packages again (pnpm install --prod --frozen-lockfile), or set RECOGNISER=none.',
  )
}
