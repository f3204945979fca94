/**
 * `pnpm faults scrub`: damages published segments behind the service: other bytes of the same length, half of the bytes,
 * or nothing at all. Viewers request them before, so that an edge could cache them. One scrub must find all of them.
 * Then no damaged byte may be served, by the API or the edge, and all of them must be repaired: half of the videos have
 * copies in a backup, the parts of the others are encoded again. Viewers with an older playlist must be able to
 * continue. Uploaded subtitles are damaged, too.
 *
 *   --segments N   number of damaged segments (100)
 *   --seed N       seed of the choice of segments and kinds of damage
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { administer } from '@reelkeep/server/main/admin.ts'
import {
  ApiProcess,
  Caller,
  formOf,
  newOrganization,
  Objects,
  openOwner,
  poll,
  postByFetch,
  runInProcess,
  Superuser,
  setUpUploads,
  startEdge,
  WorkerProcess,
} from '@reelkeep/testkit'
import { makeFilm } from './scrub/film.ts'
import { damageFiles, keyOf, type PublishedFile, pathOf, readPublishedFiles } from './scrub/published-file.ts'
import { ownStack } from './support/own-stack.ts'

const { values } = parseArgs({
  options: { segments: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
})
const segmentCount = Number(values.segments)
/** Each video has 15 segments of video and 15 of audio. */
const videoPairs = Math.max(1, Math.ceil(segmentCount / 60))
const VIDEO_SECONDS = 60
const SECONDS_MAX = 1800
const MEDIA_BUCKET = 'reelkeep-media'

const print = (line: string) => process.stdout.write(`${line}\n`)
const start = performance.now()
const seconds = () => `${((performance.now() - start) / 1000).toFixed(0)} s`

await using stack = await ownStack()
const backup = {
  BACKUP_STORAGE_ENDPOINT: stack.env.STORAGE_ENDPOINT,
  BACKUP_STORAGE_ACCESS_KEY_ID: stack.env.STORAGE_ACCESS_KEY_ID,
  BACKUP_STORAGE_SECRET_ACCESS_KEY: stack.env.STORAGE_SECRET_ACCESS_KEY,
}
const env = { ...stack.env, ...backup }
await setUpUploads(env)
const unlimited = { RATE_LIMIT_PER_MINUTE: '100000000', FAILED_PLAYBACK_PER_MINUTE: '100000000' }
await using api = await ApiProcess.start(unlimited, env)
await using edge = await startEdge(api.baseUrl)
await using _worker = await WorkerProcess.start({
  env,
  settings: { ...backup, TRANSCRIBER: 'none', SCRUB_BYTES_PER_DAY: '0' },
})
await using owner = openOwner(env)
await using superuser = await Superuser.open(env)
using objects = new Objects(env, MEDIA_BUCKET)
const { organizationId, token } = await newOrganization(owner)
const caller = new Caller(api.send, organizationId, token)
const admin = (...args: string[]) => runInProcess((io) => administer(args, io), env)

/** A response that ended early. */
const INCOMPLETE = 'incomplete'
/** Hashes of all files that repairs have published. */
const repairedHashes = new Set<string>()

const file = makeFilm(VIDEO_SECONDS)
const withCopies = await uploadVideos()
for (const id of withCopies) await addSubtitles(id)
const copied = await admin('backup-storage', '--json')
if (copied.code !== 0) throw new Error(`The backup failed: ${copied.error}`)
const withoutCopies = await uploadVideos()
const playbackUrls = new Map<string, string>()
for (const id of [...withCopies, ...withoutCopies]) {
  const { body } = await caller.get<assets.Asset>(`assets/${id}/`)
  playbackUrls.set(id, body.video.playback_url ?? '')
}
const before = await readPublishedFiles(superuser)
const servedBefore = await requestAll(before)
const servedAtFirst = new Set(servedBefore.right)
print(
  `${playbackUrls.size} videos, ${before.length} published files, ${servedBefore.right.length} served; ${withCopies.length} videos in the backup (${seconds()})`,
)

const damage = { objects, count: segmentCount, seed: Number(values.seed) }
const segments = await damageFiles(
  before.filter(({ name }) => name.endsWith('.m4s')),
  damage,
)
const subtitles = await damageFiles(
  before.filter(({ name }) => name === ''),
  damage,
)
const damaged = [...segments, ...subtitles]
print(`${segments.length} segments and ${subtitles.length} subtitles damaged behind the service`)
let servedBeforeDetection = 0
for (const segment of damaged) {
  for (const base of [api.baseUrl, edge.baseUrl]) {
    const answer = await served(segment, base)
    if (answer !== '503' && answer !== INCOMPLETE && answer !== segment.md5) servedBeforeDetection++
  }
}
print(`before detection: ${servedBeforeDetection} served wrong`)

const scrubbed = await admin('scrub-storage', '--json')
const found = new Set((JSON.parse(scrubbed.output) as { rows: { damaged: string }[] }).rows.map((row) => row.damaged))
const notFound = damaged.filter((segment) => !found.has(keyOf(segment)))
print(
  `one scrub found ${damaged.length - notFound.length} of ${damaged.length}, and ${found.size - damaged.length + notFound.length} others (${seconds()})`,
)

let [servedWrong, refused] = [0, 0]
await poll('the repair', SECONDS_MAX, async () => {
  for (const segment of damaged) await requestDamaged(segment)
  const [row] = await superuser.query<{ count: string }>(
    `select count(*) from published_files where damaged <> '{}' and replaced_by is null`,
  )
  return row?.count === '0'
})
const after = await readPublishedFiles(superuser)
for (const { assetId, name, md5 } of after) repairedHashes.add(`${assetId} ${name} ${md5}`)
const { right, wrong } = await requestAll(after)
const listed = await filesOfPlaylists()
const published = new Map(after.map((segment) => [`${segment.assetId} ${pathOf(segment)}`, segment]))
const unplayable = [...listed].filter((path) => !published.has(path))
for (const path of listed) {
  const segment = published.get(path)
  if (segment && (await served(segment)) !== segment.md5) unplayable.push(path)
}
const stale: PublishedFile[] = []
for (const segment of damaged) {
  for (const base of [api.baseUrl, edge.baseUrl]) {
    if (!isRight(segment, await served(segment, base))) stale.push(segment)
  }
}
let stopped = 0
for (const segment of before) {
  for (const base of [api.baseUrl, edge.baseUrl]) {
    const answer = await served(segment, base)
    if (servedAtFirst.has(keyOf(segment)) && !isRight(segment, answer)) stopped++
  }
}
const byEncoding = damaged.filter(({ assetId }) => withoutCopies.includes(assetId)).length
print(
  `repaired ${damaged.length - stale.length} of ${damaged.length}: ${damaged.length - byEncoding} from copies, ${byEncoding} by encoding the part again (${seconds()})`,
)
print(`after detection: ${servedWrong} served wrong, ${refused} requests refused with 503 until the repair`)
print(`older playlists: ${stopped} of ${servedAtFirst.size} files not served any more, by the API or the edge`)
print(
  `after the repair: ${right.length} of ${servedBefore.right.length} files served, ${wrong.length} wrong; ${stale.length} damaged and ${unplayable.length} unplayable ones of ${listed.size} in playlists`,
)
for (const key of [...notFound.map(keyOf), ...wrong, ...unplayable].slice(0, 20)) print(`  VIOLATION  ${key}`)
const violations =
  notFound.length + servedBeforeDetection + servedWrong + wrong.length + stale.length + stopped + unplayable.length
process.exitCode = violations > 0 || right.length !== servedBefore.right.length ? 1 : 0

async function uploadVideos(): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: videoPairs }, () => upload()))
  for (const id of ids) {
    await poll(`video ${id}`, SECONDS_MAX, async () => {
      const { video } = (await caller.get<assets.Asset>(`assets/${id}/`)).body
      if (video.error) throw new Error(`Processing failed: ${video.error.code}`)
      return video.status === 'Completed'
    })
  }
  return ids
}

async function upload(): Promise<string> {
  const options = { title: 'film', resolutions: ['240p'] }
  const { body } = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', options)
  await postByFetch(formOf(body.client_payload, file))
  await caller.post(`assets/upload-sessions/${body.upload_session.uuid}/complete/`)
  return body.asset.id
}

async function addSubtitles(id: string): Promise<void> {
  const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'
  await caller.post(`assets/${id}/subtitles/`, { language: 'en', content })
}

/** Requests a file; returns its hash, or the status if it was refused. */
async function served(segment: PublishedFile, base = api.baseUrl): Promise<string> {
  const url = (playbackUrls.get(segment.assetId) ?? '').replace(/[^/]*$/, pathOf(segment))
  const response = await fetch(base + new URL(url).pathname)
  if (response.status !== 200) return String(response.status)
  try {
    return createHash('md5')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex')
  } catch {
    return INCOMPLETE
  }
}

/** Requests files. A file that nothing refers to gets 404: every part has an init file, and only one of them is used. */
async function requestAll(files: readonly PublishedFile[]): Promise<{ right: string[]; wrong: string[] }> {
  const result = { right: [] as string[], wrong: [] as string[] }
  for (const segment of files) {
    const answer = await served(segment)
    if (answer === segment.md5) result.right.push(keyOf(segment))
    else if (answer !== '404') result.wrong.push(`${keyOf(segment)} ${answer}`)
  }
  return result
}

/** Requests a file under its first URL, also after its repair. */
async function requestDamaged(segment: PublishedFile): Promise<void> {
  for (const base of [api.baseUrl, edge.baseUrl]) {
    const answer = await served(segment, base)
    if (answer === '503') refused++
    else if (!isRight(segment, answer) && !(await isRepaired(segment, answer))) servedWrong++
  }
}

/** Whether these are the bytes that were published first, or those of a repair. */
function isRight({ assetId, name, md5 }: PublishedFile, answer: string): boolean {
  return answer === md5 || repairedHashes.has(`${assetId} ${name} ${answer}`)
}

async function isRepaired(segment: PublishedFile, answer: string): Promise<boolean> {
  for (const { assetId, name, md5 } of await readPublishedFiles(superuser))
    repairedHashes.add(`${assetId} ${name} ${md5}`)
  return isRight(segment, answer)
}

/** The segments and init files that the playlists of all videos list. */
async function filesOfPlaylists(): Promise<Set<string>> {
  const listed = new Set<string>()
  for (const [assetId, url] of playbackUrls) {
    for (const track of ['240p', 'audio']) {
      const playlist = new URL(url.replace(/[^/]*$/, `${track}.m3u8`)).pathname
      const text = await (await fetch(api.baseUrl + playlist)).text()
      for (const [path] of text.matchAll(/[^"\n]+\.(m4s|mp4)/g)) listed.add(`${assetId} ${path}`)
    }
  }
  if (listed.size === 0) throw new Error('The playlists are empty')
  return listed
}
