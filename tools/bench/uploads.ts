/**
 * `pnpm bench uploads`: an upload through a session compared to the same form posted with curl while the service is
 * stopped, alternating. Bytes go directly from the client to storage, so both must take equally long; the kernel
 * counts how many bytes pass through the service itself.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { uploadSessions } from '@reelkeep/contract'
import { timestampFromPostgres } from '@reelkeep/server/kernel/time.ts'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  resetDatabase,
  setUpUploads,
  startStack,
  storageOf,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { bytesThrough } from './support/process-bytes.ts'
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
const bytes = Number(values.mebibytes) * 1024 ** 2

const env = withDatabase(await startStack(), 'bench_uploads')
await resetDatabase(env)
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET, STORAGE_EVENTS_SECRET: SECRET }
await using api = await ApiProcess.start(settings, env)
await using worker = await WorkerProcess.start({ settings, env })
await setUpUploads(env, { ...settings, STORAGE_EVENTS_URL: api.operationsUrl })
await using owner = openOwner(env)
const { organizationId, token } = await newOrganization(owner)
const caller = new Caller(api.send, organizationId, token)
using bucket = new UploadsBucket(storageOf(env, settings))
const service = [api, worker].map(({ child }) => child.pid ?? 0)

const folder = mkdtempSync(join(tmpdir(), 'bench-uploads-'))
const file = join(folder, 'video')
await writeRandomFile(file)

/** Bytes per second, as measured by curl. */
async function post({ upload_link: link, ...fields }: uploadSessions.ClientPayload) {
  const form = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
  const args = ['-sS', '--fail', '-o', '/dev/null', '-w', '%{speed_upload}']
  const { stdout } = await run('curl', [...args, ...form, '-F', `file=@${file}`, link])
  return Number(stdout)
}

/** A form signed here, while the service is stopped. */
async function postBare(): Promise<number> {
  for (const pid of service) process.kill(pid, 'SIGSTOP')
  try {
    const form = await bucket.signForm({
      key: `bare/${crypto.randomUUID()}`,
      bytesMax: bytes,
      signedAt: inSeconds(0),
      expiresAt: inSeconds(3600),
    })
    return await post({ upload_link: form.link, ...form.fields })
  } finally {
    for (const pid of service) process.kill(pid, 'SIGCONT')
  }
}

let passed = 0
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
  passed += total() - before
  return speed
}

const total = () => service.reduce((sum, pid) => sum + bytesThrough(pid), 0)
const inSeconds = (seconds: number) =>
  timestampFromPostgres(
    new Date(Date.now() + seconds * 1000).toISOString().replace('T', ' ').replace('Z', '+00'),
  )

const speeds = { bare: [] as number[], session: [] as number[] }
try {
  for (let round = -1; round < Number(values.rounds); round++) {
    // Alternating, also in who comes first: other load on the machine affects both.
    const order = round % 2 === 0 ? (['bare', 'session'] as const) : (['session', 'bare'] as const)
    for (const side of order) {
      const speed = await (side === 'bare' ? postBare() : postThroughSession())
      // The first round is a warm-up.
      if (round >= 0) speeds[side].push(speed)
    }
    await bucket.free('bare/')
    await bucket.free(`${organizationId}/`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

const rounds = Number(values.rounds)
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
    'bytes through API and worker': passed.toLocaleString('en'),
  },
])
process.stdout.write(`\nGoal: within 3 %; medians of ${rounds} rounds, one upload at a time.\n`)

async function writeRandomFile(path: string): Promise<void> {
  const out = createWriteStream(path)
  const block = randomBytes(1024 ** 2)
  for (let written = 0; written < bytes; written += block.length) {
    if (!out.write(block)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}
