/**
 * `pnpm bench clips`: response times of the API for clips and trims of a video of two hours with 500 chapters and
 * subtitles of 3,000 cues, and the jobs that they enqueue. No worker runs. Fails if the median is a second or more, or
 * if a clip or a trim enqueues a job that encodes.
 */
import { parseArgs } from 'node:util'
import type { assets } from '@reelkeep/contract'
import { openSession, Publisher, Superuser, setUpUploads, startStack } from '@reelkeep/testkit'
import { openBenchService } from '../support/bench-service.ts'
import { cpuSecondsOf } from '../support/cpu-time.ts'
import { checkGoals } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const ROUNDS = Number(values.rounds)
const [SECONDS, SEGMENT_SECONDS, RATE] = [7200, 4, 30]
const SEGMENTS = SECONDS / SEGMENT_SECONDS
const [CHAPTERS, CUES] = [500, 3000]
const RESPONSE_MILLISECONDS_MAX = 1000

await setUpUploads(await startStack())
await using service = await openBenchService('bench_clips')
await using superuser = await Superuser.open(service.env)
const { caller } = service
const parent = await publish()

/** Publishes the rows of an encoded video, whose segments are tiny. */
async function publish(): Promise<string> {
  await using publisher = await Publisher.open(service.env)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  const place = { organizationId: service.organizationId, assetId: asset.id }
  const track = { segmentsTotal: SEGMENTS, bitrateMax: 400_000 }
  await publisher.plan(place, {
    ...{ durationSeconds: SECONDS, frames: SECONDS * RATE, frameRate: { numerator: RATE, denominator: 1 } },
    ...{ segmentFrames: SEGMENT_SECONDS * RATE, gopFrames: 2 * RATE, audio: { channels: 2, sampleRate: 48_000 } },
    tracks: [
      { ...track, name: 'audio', codecs: 'mp4a.40.2' },
      { ...track, name: '240p', width: 426, height: 240, codecs: 'avc1.64000d' },
    ],
  })
  for (const name of ['240p', 'audio']) {
    const segments = Array.from({ length: SEGMENTS }, () => ({ body: name, seconds: SEGMENT_SECONDS }))
    await publisher.publish(place, { track: name, firstSegment: 0, attempt: 'video-encode-1', init: name, segments })
  }
  await publisher.setLength(place, SECONDS)
  await publisher.setStatus(place, 'Completed')
  const chapters = Array.from({ length: CHAPTERS }, (_, index) => ({
    title: `Chapter ${index + 1}`,
    start_seconds: (index * SECONDS) / CHAPTERS,
  }))
  await caller.put(`assets/${asset.id}/chapters/`, { chapters })
  await caller.post(`assets/${asset.id}/subtitles/`, { language: 'en', content: subtitles() })
  return asset.id
}

function subtitles(): string {
  const clock = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23)
  const cues = Array.from({ length: CUES }, (_, index) => {
    const start = (index * SECONDS) / CUES
    return `${clock(start)} --> ${clock(start + 2)}\nSentence ${index + 1} of a long talk`
  })
  return ['WEBVTT', ...cues].join('\n\n')
}

const jobsByQueue = () =>
  superuser.query<{ queue: string; name: string; count: number }>(
    `select queue_name as queue, name, count(*)::integer as count from dbos.workflow_status group by 1, 2 order by 1, 2`,
  )

type Measured = { readonly name: string; readonly milliseconds: readonly number[]; readonly cpuSeconds: number }

async function measure(name: string, act: (round: number) => Promise<{ readonly status: number }>): Promise<Measured> {
  const cpuBefore = cpuSecondsOf(service.pid)
  const milliseconds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    const { status } = await act(round)
    milliseconds.push(performance.now() - startedAt)
    if (status >= 300) throw new Error(`${name} was refused with status ${status}`)
  }
  return { name, milliseconds, cpuSeconds: cpuSecondsOf(service.pid) - cpuBefore }
}

/** Parts of different lengths, with starts and ends within segments. */
const partOf = (round: number) => ({ start_seconds: 10.3 + round * 7, end_seconds: SECONDS - 20.7 - round * 60 })

const before = await jobsByQueue()
const measured = [
  await measure('create a clip', (round) => caller.post<assets.Asset>(`assets/${parent}/clips/`, partOf(round))),
  await measure('trim', (round) => caller.put(`assets/${parent}/trim/`, partOf(round))),
  await measure('delete the trim', async (round) => {
    await caller.put(`assets/${parent}/trim/`, partOf(round))
    return caller.delete(`assets/${parent}/trim/`)
  }),
]
const enqueued = (await jobsByQueue()).map(({ queue, name, count }) => ({
  ...{ queue, job: name },
  count: count - (before.find((one) => one.queue === queue && one.name === name)?.count ?? 0),
}))
const encoding = enqueued.filter(({ queue, count }) => queue.includes('encode') && count > 0)

printTable(
  measured.map(({ name, milliseconds, cpuSeconds }) => ({
    request: name,
    'median, ms': median(milliseconds).toFixed(0),
    'slowest, ms': Math.max(...milliseconds).toFixed(0),
    'CPU of the API per request, ms': ((1000 * cpuSeconds) / ROUNDS).toFixed(0),
  })),
)
process.stdout.write(`\nJobs of ${2 * ROUNDS} trims and ${ROUNDS} clips:\n\n`)
printTable(enqueued.filter(({ count }) => count > 0))
process.stdout.write(`\nJobs that encode: ${encoding.length}\n`)
checkGoals([
  { name: 'jobs that encode', value: encoding.length, max: 0 },
  ...measured.map(({ name, milliseconds }) => ({
    ...{ name: `median response of "${name}", ms`, value: median(milliseconds) },
    max: RESPONSE_MILLISECONDS_MAX,
  })),
])
