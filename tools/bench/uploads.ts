/**
 * `pnpm bench uploads`: compares an upload through a session with the same form posted with curl while the service is
 * stopped, alternately. The client sends the file directly to storage, so both must take equally long. The kernel
 * counts the bytes that pass through the service itself.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { uploadSessions } from '@reelkeep/contract'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  newCaller,
  resetDatabase,
  setUpUploads,
  startStack,
  storageOf,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { writeKeyStream } from '../faults/support/key-stream-file.ts'
import { alternate } from './support/alternate.ts'
import { signBareForm } from './support/bare-form.ts'
import { bytesThrough } from './support/cpu-time.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { median, printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    mebibytes: { type: 'string', default: '256' },
  },
})
const run = promisify(execFile)
const BUCKET = 'bench-uploads'
const SECRET = 'only-for-benchmarks-0123456789abcdefgh'
/** Minimum speed of an upload, relative to a form that is posted without the service. */
const GOAL = 0.97
/**
 * Maximum number of bytes that pass through the service, relative to the size of the files. They are requests, rows and
 * log lines.
 */
const SERVICE_BYTES_MAX = 0.01
const bytes = Number(values.mebibytes) * 1024 ** 2

const env = withDatabase(await startStack(), 'bench_uploads')
await resetDatabase(env)
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET, STORAGE_EVENTS_SECRET: SECRET }
await using api = await ApiProcess.start(settings, env)
await using worker = await WorkerProcess.start({ settings, env })
await setUpUploads(env, { ...settings, STORAGE_EVENTS_URL: api.operationsUrl })
const caller = await newCaller(api.send, env)
using bucket = new UploadsBucket(storageOf(env, settings))
const service = [api, worker].map(({ child }) => child.pid ?? 0)

const folder = mkdtempSync(join(tmpdir(), 'bench-uploads-'))
const file = join(folder, 'video')
await writeKeyStream(file, bytes, 1)

/** Posts the form with curl. Returns the speed in bytes per second. */
async function post({ upload_link: link, ...fields }: uploadSessions.ClientPayload) {
  const form = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
  const args = ['-sS', '--fail', '-o', '/dev/null', '-w', '%{speed_upload}']
  const { stdout } = await run('curl', [...args, ...form, '-F', `file=@${file}`, link])
  return Number(stdout)
}

/** Signs and posts a form while the service is stopped. */
async function postBare(): Promise<number> {
  for (const pid of service) process.kill(pid, 'SIGSTOP')
  try {
    const form = await signBareForm(bucket, bytes)
    return await post({ upload_link: form.link, ...form.fields })
  } finally {
    for (const pid of service) process.kill(pid, 'SIGCONT')
  }
}

let serviceBytes = 0
async function postThroughSession(): Promise<number> {
  const before = total()
  const { body } = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', {
    title: 'Bench',
    resolutions: ['720p'],
  })
  const speed = await post(body.client_payload)
  const session = `assets/upload-sessions/${body.upload_session.uuid}/`
  const { body: done } = await caller.post<{ status: string }>(`${session}complete/`)
  if (done.status !== 'Completed') throw new Error(`The session is ${done.status}`)
  serviceBytes += total() - before
  return speed
}

const total = () => service.reduce((sum, pid) => sum + bytesThrough(pid), 0)

const rounds = Number(values.rounds)
const speeds = await alternate(['bare', 'session'], rounds, async (side) => {
  const speed = await (side === 'bare' ? postBare() : postThroughSession())
  await bucket.deleteAll('bare/')
  await bucket.deleteAll(`${caller.organizationId}/`)
  return speed
})
rmSync(folder, { recursive: true })

const ratios = speeds.session.map((speed, round) => speed / (speeds.bare[round] ?? Number.NaN))
const megabytes = (speed: number) => (speed / 1e6).toFixed(0)
printTable([
  {
    file: `${values.mebibytes} MiB`,
    'no service MB/s': megabytes(median(speeds.bare)),
    'through a session MB/s': megabytes(median(speeds.session)),
    'ratio of medians': (median(speeds.session) / median(speeds.bare)).toFixed(3),
    'median of ratios': median(ratios).toFixed(3),
    'bytes uploaded': (bytes * (rounds + 1)).toLocaleString('en'),
    'bytes through API and worker': serviceBytes.toLocaleString('en'),
  },
])
process.stdout.write(
  `\nGoal: ${GOAL} of the speed without the service, at most ${SERVICE_BYTES_MAX} of the bytes through it; medians of ${rounds} rounds, one upload at a time.\n`,
)
if (rounds >= ROUNDS_TO_CHECK)
  checkGoals([
    { name: 'the speed ratio', value: median(ratios), min: GOAL },
    {
      name: 'the share of bytes through the service',
      value: serviceBytes / (bytes * (rounds + 1)),
      max: SERVICE_BYTES_MAX,
    },
  ])
