/**
 * `pnpm bench sdk`: the SDK's uploads, alternating with their baselines. Forms are compared to curl, which posts as
 * many forms of the same file one after the other; parts to the AWS SDK's own upload with the same part size and
 * concurrency. `uploads.send` is measured as a whole, including all requests to the service (sessions, URLs,
 * completion). The post alone is shown as well.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Upload } from '@aws-sdk/lib-storage'
import { timestampFromPostgres } from '@reelkeep/server/kernel/time.ts'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  newOrganization,
  Objects,
  openOwner,
  resetDatabase,
  setUpUploads,
  startStack,
  storageOf,
  withDatabase,
} from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'
import { openSource } from '../../sdk/src/platform/node.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from './support/cpu-time.ts'
import { median, printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    mebibytes: { type: 'string', default: '256' },
  },
})
const run = promisify(execFile)
const BUCKET = 'bench-sdk'
/** The service's part size, and the SDK's default concurrency. */
const PART_BYTES = 16 * 1024 ** 2
const PARTS_AT_ONCE = 4
/** The largest file that `uploads.send` posts as a form. */
const FORM_BYTES = 32 * 1024 ** 2
const rounds = Number(values.rounds)
const RATIO_MIN = 0.95
/** Fewer rounds only show that the benchmark runs. */
const ROUNDS_TO_JUDGE_BY = 3
/** Forms sent per round. */
const formsPerRound = Math.max(1, Math.floor((Number(values.mebibytes) * 1024 ** 2) / FORM_BYTES))
const bytes = formsPerRound * FORM_BYTES

const env = withDatabase(await startStack(), 'bench_sdk')
await resetDatabase(env)
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET }
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
await using owner = openOwner(env)
const { organizationId, token } = await newOrganization(owner)
const client = new Reelkeep({ url: api.baseUrl, organization: organizationId, token })
using bucket = new UploadsBucket(storageOf(env, settings))
using objects = new Objects(env, BUCKET)

const folder = mkdtempSync(join(tmpdir(), 'bench-sdk-'))
const small = join(folder, 'small.mp4')
await writeRandomFile(small, FORM_BYTES)
// At least one byte more than the limit for forms.
const large = join(folder, 'large.mp4')
await writeRandomFile(large, Math.max(bytes, FORM_BYTES + 1))

const signForm = () =>
  bucket.signForm({
    key: `bench/${crypto.randomUUID()}`,
    bytesMax: FORM_BYTES,
    signedAt: inSeconds(0),
    expiresAt: inSeconds(3600),
  })

async function formsOneByOne(send: () => Promise<unknown>): Promise<void> {
  for (let sent = 0; sent < formsPerRound; sent++) await send()
}

const formsByCurl = () =>
  formsOneByOne(async () => {
    const { link, fields } = await signForm()
    const form = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
    await run('curl', ['-sS', '--fail', '-o', '/dev/null', ...form, '-F', `file=@${small}`, link])
  })

/** Like `uploads.send`, without a session. */
const postsBySdk = () =>
  formsOneByOne(async () => {
    const source = await openSource(small)
    const { signal } = new AbortController()
    const { status } = await source.post(await signForm(), { onSent() {}, signal, idleSeconds: 60 })
    await source.close()
    if (status >= 300) throw new Error(`Storage answered ${status}`)
  })

const wish = { resolutions: ['720p' as const] }
const formsBySdk = () => formsOneByOne(() => client.uploads.send(small, wish))

const partsByAws = () =>
  new Upload({
    client: objects.client,
    params: {
      Bucket: BUCKET,
      Key: `bench/${crypto.randomUUID()}`,
      Body: createReadStream(large),
    },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
  }).done()

const partsBySdk = () => client.uploads.send(large, wish, { partsAtOnce: PARTS_AT_ONCE })

type Cost = { readonly seconds: number; readonly cpuSeconds: number }
const ways = { formsByCurl, postsBySdk, formsBySdk, partsByAws, partsBySdk }
type Way = keyof typeof ways
const costs: Record<Way, Cost[]> = {
  formsByCurl: [],
  postsBySdk: [],
  formsBySdk: [],
  partsByAws: [],
  partsBySdk: [],
}
const names: Record<Way, string> = {
  formsByCurl: 'curl',
  postsBySdk: 'forms, the post alone',
  formsBySdk: 'forms, from session to asset',
  partsByAws: '@aws-sdk/lib-storage',
  partsBySdk: 'parts, from session to asset',
}
/** Alternating, the baseline first. */
const contests: readonly (readonly [theirs: Way, ...ours: Way[]])[] = [
  ['formsByCurl', 'postsBySdk', 'formsBySdk'],
  ['partsByAws', 'partsBySdk'],
]
const pairs = contests.flatMap(([theirs, ...ours]) => ours.map((each) => [theirs, each] as const))

async function measure(way: Way): Promise<Cost> {
  const [beganAt, cpuBefore] = [performance.now(), cpuSeconds()]
  await ways[way]()
  return { seconds: (performance.now() - beganAt) / 1000, cpuSeconds: cpuSeconds() - cpuBefore }
}

/**
 * CPU time of this process, which is the client, and of curl. The service is a child as well, and is measured
 * elsewhere.
 */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  const ofCurl = cpuSecondsOfChildren(process.pid) - cpuSecondsOf(api.child.pid ?? 0)
  return (user + system) / 1e6 + ofCurl
}

try {
  for (let round = -1; round < rounds; round++) {
    for (const contest of contests) {
      // Alternating, also in who comes first: other load on the machine affects both.
      for (const way of round % 2 === 0 ? contest : contest.toReversed()) {
        const cost = await measure(way)
        // The first round is a warm-up.
        if (round >= 0) costs[way].push(cost)
      }
      await bucket.free('bench/')
      await bucket.free(`${organizationId}/`)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}

const megabytesASecond = (way: Way) =>
  bytes / median(costs[way].map(({ seconds }) => seconds)) / 1e6
const cpuSecondsPerGibibyte = (way: Way) =>
  (median(costs[way].map((cost) => cost.cpuSeconds)) * 1024 ** 3) / bytes
const ratioOf = ([theirs, ours]: (typeof pairs)[number]) =>
  median(costs[ours].map(({ seconds }, round) => (costs[theirs][round]?.seconds ?? 0) / seconds))

printTable(
  pairs.map((pair) => {
    const [theirs, ours] = pair
    return {
      [`${bytes / 1024 ** 2} MiB`]: names[ours],
      against: names[theirs],
      'against MB/s': megabytesASecond(theirs).toFixed(0),
      'SDK MB/s': megabytesASecond(ours).toFixed(0),
      'ratio of medians': (megabytesASecond(ours) / megabytesASecond(theirs)).toFixed(3),
      'median of ratios': ratioOf(pair).toFixed(3),
      'against CPU s/GiB': cpuSecondsPerGibibyte(theirs).toFixed(2),
      'SDK CPU s/GiB': cpuSecondsPerGibibyte(ours).toFixed(2),
    }
  }),
)
process.stdout.write(
  `\n${formsPerRound} forms of ${FORM_BYTES / 1024 ** 2} MiB, one after the other. Goal: at least ${RATIO_MIN} of each; medians of ${rounds} rounds, alternating.\n`,
)
// NaN counts as a failure.
const isFast = pairs.every((pair) => ratioOf(pair) >= RATIO_MIN)
if (rounds >= ROUNDS_TO_JUDGE_BY && !isFast) process.exitCode = 1

function inSeconds(seconds: number) {
  const time = new Date(Date.now() + seconds * 1000).toISOString()
  return timestampFromPostgres(time.replace('T', ' ').replace('Z', '+00'))
}

async function writeRandomFile(path: string, fileBytes: number): Promise<void> {
  const out = createWriteStream(path)
  const block = randomBytes(1024 ** 2)
  for (let written = 0; written < fileBytes; written += block.length) {
    if (!out.write(block.subarray(0, fileBytes - written))) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}
