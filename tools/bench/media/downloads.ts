/**
 * `pnpm bench downloads`: measures MP4 downloads of a video of four minutes.
 *
 * Compares the time until the first byte with its goal of one second, and the CPU time of the API for a whole download
 * with that for a viewer who fetches the same segments. ffmpeg copying the same local file, which reads nothing from
 * storage and sends nothing, and encoding the video are listed for contrast.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { assets, downloads } from '@reelkeep/contract'
import { openSession, Publisher, setUpUploads, startStack } from '@reelkeep/testkit'
import { packageVideo, SEGMENT_SECONDS } from '../../../tests/browser/packaged-video.ts'
import { openBenchService } from '../support/bench-service.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { checkGoals, ROUNDS_TO_CHECK } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, segments: { type: 'string', default: '120' } },
})
const [ROUNDS, SEGMENTS] = [Number(values.rounds), Number(values.segments)]
const FIRST_BYTE_SECONDS_MAX = 1
/** Maximum CPU time of a download, relative to that of sending the same segments to a viewer. */
const CPU_RATIO_MAX = 1
const RENDITION = '480p'

await setUpUploads(await startStack())
await using service = await openBenchService('bench_downloads')
const encodingBefore = cpuSecondsOfChildren(process.pid)
const packaged = await packageVideo(SEGMENTS)
const encodingSeconds = cpuSecondsOfChildren(process.pid) - encodingBefore
const { url, segmentUrls } = await publish()

/** Publishes the video, and returns the link to it and the URLs of its segments. */
async function publish() {
  await using publisher = await Publisher.open(service.env)
  const { asset } = await openSession(service.caller, { content_protection_type: 'disable' })
  const place = { organizationId: service.organizationId, assetId: asset.id }
  await publisher.plan(place, packaged.plan)
  for (const { name } of packaged.plan.tracks) await publisher.publish(place, packaged.part(name, 0, SEGMENTS))
  await publisher.setStatus(place, 'Completed')
  const input = { kind: 'mp4', resolution: RENDITION, expires_in_seconds: 3600 }
  const { body } = await service.caller.post<downloads.Download>(`assets/${asset.id}/downloads/`, input)
  const { body: read } = await service.caller.get<assets.Asset>(`assets/${asset.id}/`)
  const here = (address: string) => new URL(new URL(address).pathname, service.baseUrl).href
  const names = Array.from({ length: SEGMENTS }, (_, number) => `${String(number).padStart(5, '0')}.m4s`)
  const segmentUrls = [RENDITION, 'audio'].flatMap((track) =>
    names.map((name) => new URL(`video-encode-1/${track}/${name}`, here(read.video.playback_url ?? '')).href),
  )
  return { url: here(body.url), segmentUrls }
}

/** CPU seconds of the API for a viewer who fetches all segments. */
async function watchCpuSeconds(): Promise<number> {
  const before = cpuSecondsOf(service.pid)
  for (const segment of segmentUrls) {
    const response = await fetch(segment)
    if (!response.ok) throw new Error(`${response.status} for ${segment}`)
    await response.arrayBuffer()
  }
  return cpuSecondsOf(service.pid) - before
}

async function download() {
  const [startedAt, cpuBefore] = [performance.now(), cpuSecondsOf(service.pid)]
  const response = await fetch(url)
  let firstByteSeconds = 0
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body ?? []) {
    firstByteSeconds ||= (performance.now() - startedAt) / 1000
    chunks.push(chunk)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const file = Buffer.concat(chunks)
  if (String(file.length) !== response.headers.get('content-length')) throw new Error('The download is incomplete')
  return { firstByteSeconds, seconds, cpuSeconds: cpuSecondsOf(service.pid) - cpuBefore, file }
}

/** CPU seconds of ffmpeg copying the streams of a file into a fragmented file, as its own measurement reports them. */
function copyCpuSeconds(path: string): number {
  const output = ['-c', 'copy', '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov', '-y', '/dev/null']
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1'
  const command = ['ffmpeg', '-nostdin', '-v', 'error', '-i', path, ...output]
  const printed = execFileSync('bash', ['-c', script, 'bash', ...command], { encoding: 'utf8' })
  const [user = 0, system = 0] = printed.trim().split(' ').map(Number)
  return user + system
}

const folder = mkdtempSync(join(tmpdir(), 'reelkeep-bench-downloads-'))
try {
  const path = join(folder, 'video.mp4')
  await download()
  const results: Omit<Awaited<ReturnType<typeof download>>, 'file'>[] = []
  const [copies, watched]: [number[], number[]] = [[], []]
  await watchCpuSeconds()
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { file, ...result } = await download()
    results.push(result)
    writeFileSync(path, file)
    copies.push(copyCpuSeconds(path))
    watched.push(await watchCpuSeconds())
    bytes = file.length
  }
  const of = (figure: 'firstByteSeconds' | 'seconds' | 'cpuSeconds') => median(results.map((result) => result[figure]))
  printTable([
    {
      video: `${SEGMENTS * SEGMENT_SECONDS} s, ${(bytes / 1e6).toFixed(1)} MB`,
      'first byte, s': of('firstByteSeconds').toFixed(3),
      'whole file, s': of('seconds').toFixed(2),
      "API's CPU, s": of('cpuSeconds').toFixed(2),
      'same segments watched, CPU s': median(watched).toFixed(2),
      'ffmpeg -c copy, CPU s': median(copies).toFixed(2),
      'encoding, CPU s': encodingSeconds.toFixed(1),
    },
  ])
  process.stdout.write(
    `\nGoals: the first byte within ${FIRST_BYTE_SECONDS_MAX} s, and no more CPU time than a viewer of the same segments.\n`,
  )
  const slowest = Math.max(...results.map(({ firstByteSeconds }) => firstByteSeconds))
  if (slowest > FIRST_BYTE_SECONDS_MAX) process.exitCode = 1
  if (ROUNDS >= ROUNDS_TO_CHECK)
    checkGoals([
      { name: 'CPU of a download / of a viewer', value: of('cpuSeconds') / median(watched), max: CPU_RATIO_MAX },
    ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
