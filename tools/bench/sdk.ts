/**
 * `pnpm bench sdk`: compares the uploads of the SDK with baselines, alternately. The baseline for forms is curl, which
 * posts the same number of forms with the same file one after the other. The baseline for parts is the upload of the
 * AWS SDK, with the same part size and concurrency. `uploads.send` is measured as a whole, including all requests to
 * the service (sessions, URLs, completion). The post alone is also shown.
 */
import { execFile } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Upload } from '@aws-sdk/lib-storage'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  newCaller,
  Objects,
  resetDatabase,
  setUpUploads,
  startStack,
  storageOf,
  withDatabase,
} from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'
import { openSource } from '../../sdk/src/platform/node.ts'
import { writeKeyStream } from '../faults/support/key-stream-file.ts'
import { alternate } from './support/alternate.ts'
import { signBareForm } from './support/bare-form.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from './support/cpu-time.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { median, printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    mebibytes: { type: 'string', default: '256' },
  },
})
const run = promisify(execFile)
const BUCKET = 'bench-sdk'
/** Part size of the service, and default concurrency of the SDK. */
const PART_BYTES = 16 * 1024 ** 2
const PARALLEL_PARTS = 4
/** The largest file that `uploads.send` posts as a form. */
const FORM_BYTES = 32 * 1024 ** 2
const rounds = Number(values.rounds)
const RATIO_MIN = 0.95
const formsPerRound = Math.max(1, Math.floor((Number(values.mebibytes) * 1024 ** 2) / FORM_BYTES))
const bytes = formsPerRound * FORM_BYTES

const env = withDatabase(await startStack(), 'bench_sdk')
await resetDatabase(env)
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET }
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
const { organizationId, token } = await newCaller(api.send, env)
const client = new Reelkeep({ url: api.baseUrl, organization: organizationId, token })
using bucket = new UploadsBucket(storageOf(env, settings))
using objects = new Objects(env, BUCKET)

const folder = mkdtempSync(join(tmpdir(), 'bench-sdk-'))
const small = join(folder, 'small.mp4')
await writeKeyStream(small, FORM_BYTES, 1)
// A file that is too large for a form.
const large = join(folder, 'large.mp4')
await writeKeyStream(large, Math.max(bytes, FORM_BYTES + 1), 2)

async function formsOneByOne(send: () => Promise<unknown>): Promise<void> {
  for (let sent = 0; sent < formsPerRound; sent++) await send()
}

const formsByCurl = () =>
  formsOneByOne(async () => {
    const { link, fields } = await signBareForm(bucket, FORM_BYTES)
    const form = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
    await run('curl', ['-sS', '--fail', '-o', '/dev/null', ...form, '-F', `file=@${small}`, link])
  })

/** Posts forms with the code of the SDK, but without sessions. */
const postsBySdk = () =>
  formsOneByOne(async () => {
    const source = await openSource(small)
    const { signal } = new AbortController()
    const { status } = await source.post(await signBareForm(bucket, FORM_BYTES), {
      onSent() {},
      signal,
      idleSeconds: 60,
    })
    await source.close()
    if (status >= 300) throw new Error(`Storage answered ${status}`)
  })

const input = { resolutions: ['720p' as const] }
const formsBySdk = () => formsOneByOne(() => client.uploads.send(small, input))

const partsByAws = () =>
  new Upload({
    client: objects.client,
    params: {
      Bucket: BUCKET,
      Key: `bare/${crypto.randomUUID()}`,
      Body: createReadStream(large),
    },
    partSize: PART_BYTES,
    queueSize: PARALLEL_PARTS,
  }).done()

const partsBySdk = () => client.uploads.send(large, input, { partsAtOnce: PARALLEL_PARTS })

type Cost = { readonly seconds: number; readonly cpuSeconds: number }
const methods = {
  formsByCurl: { name: 'curl', send: formsByCurl },
  postsBySdk: { name: 'forms, the post alone', send: postsBySdk },
  formsBySdk: { name: 'forms, from session to asset', send: formsBySdk },
  partsByAws: { name: '@aws-sdk/lib-storage', send: partsByAws },
  partsBySdk: { name: 'parts, from session to asset', send: partsBySdk },
}
type Method = keyof typeof methods

async function measure(method: Method): Promise<Cost> {
  const [start, cpuBefore] = [performance.now(), cpuSeconds()]
  await methods[method].send()
  const cost = {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: cpuSeconds() - cpuBefore,
  }
  await bucket.deleteAll('bare/')
  await bucket.deleteAll(`${organizationId}/`)
  return cost
}

/**
 * CPU time of this process, which is the client, and of curl. The service is also a child process, and is measured
 * elsewhere.
 */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  const ofCurl = cpuSecondsOfChildren(process.pid) - cpuSecondsOf(api.child.pid ?? 0)
  return (user + system) / 1e6 + ofCurl
}

async function measureAll() {
  try {
    return {
      ...(await alternate(['formsByCurl', 'postsBySdk', 'formsBySdk'], rounds, measure)),
      ...(await alternate(['partsByAws', 'partsBySdk'], rounds, measure)),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const costs = await measureAll()
/** Pairs of a baseline and the variant that is compared with it. */
const pairs = [
  ['formsByCurl', 'postsBySdk'],
  ['formsByCurl', 'formsBySdk'],
  ['partsByAws', 'partsBySdk'],
] as const

const megabytesPerSecond = (method: Method) => bytes / median(costs[method].map(({ seconds }) => seconds)) / 1e6
const cpuSecondsPerGibibyte = (method: Method) =>
  (median(costs[method].map((cost) => cost.cpuSeconds)) * 1024 ** 3) / bytes
const ratioOf = ([baseline, ours]: (typeof pairs)[number]) =>
  median(costs[ours].map(({ seconds }, round) => (costs[baseline][round]?.seconds ?? 0) / seconds))

printTable(
  pairs.map((pair) => {
    const [baseline, ours] = pair
    return {
      [`${bytes / 1024 ** 2} MiB`]: methods[ours].name,
      against: methods[baseline].name,
      'against MB/s': megabytesPerSecond(baseline).toFixed(0),
      'SDK MB/s': megabytesPerSecond(ours).toFixed(0),
      'ratio of medians': (megabytesPerSecond(ours) / megabytesPerSecond(baseline)).toFixed(3),
      'median of ratios': ratioOf(pair).toFixed(3),
      'against CPU s/GiB': cpuSecondsPerGibibyte(baseline).toFixed(2),
      'SDK CPU s/GiB': cpuSecondsPerGibibyte(ours).toFixed(2),
    }
  }),
)
process.stdout.write(
  `\n${formsPerRound} forms of ${FORM_BYTES / 1024 ** 2} MiB, one after the other. Goal: at least ${RATIO_MIN} of each; medians of ${rounds} rounds, alternating.\n`,
)
if (rounds >= ROUNDS_TO_CHECK)
  checkGoals(pairs.map((pair) => ({ name: methods[pair[1]].name, value: ratioOf(pair), min: RATIO_MIN })))
