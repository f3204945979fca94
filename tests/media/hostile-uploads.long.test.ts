/**
 * Malicious and damaged files, uploaded and processed by real workers. Each must end with a video or an error message
 * for the uploader, all workers must survive, and no URL in the files may be requested.
 *
 * With FILMS=sample, as in CI: all handwritten files, and some of the randomly damaged ones.
 */
import { readFileSync } from 'node:fs'
import { type assets, failureCatalogue } from '@reelkeep/contract'
import { createHostileCorpus } from '@reelkeep/media/hostile'
import { openCanary } from '@reelkeep/media/hostile-canary'
import {
  ApiProcess,
  Caller,
  filmSelection,
  formOf,
  newOrganization,
  openOwner,
  openSession,
  postByFetch,
  resetDatabase,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

/** Minimum file size: smaller files count as an empty upload, so they never reach the pipeline. */
const FILE_BYTES_MIN = 16
const UPLOADS_AT_ONCE = 4
const SECONDS_MAX = 900

/**
 * The sample has every seventh of the randomly damaged files (`cut-`, `zzuf-`), which still covers all containers and
 * kinds of damage, and all other files.
 */
const isInSample = ({ name }: { name: string }, index: number) => !/^(cut|zzuf)-/.test(name) || index % 7 === 0
const isSample = filmSelection === 'sample'
const FILES_MIN = isSample ? 170 : 300

const env = withDatabase(stackEnv(), 'hostile')
await Promise.all([resetDatabase(env), setUpUploads(env)])
const api = await opened(ApiProcess.start({}, env))
// Two workers, so that one encodes while the other waits for its next part.
const workers = [await opened(WorkerProcess.start({ env })), await opened(WorkerProcess.start({ env }))]
const caller = await newCaller()

async function newCaller(): Promise<Caller> {
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner)
  return new Caller(api.send, organizationId, token)
}

type UploadedFile = { readonly name: string; readonly expect: string; readonly id: string }

async function uploadAll(): Promise<UploadedFile[]> {
  const all = await createHostileCorpus()
  const corpus = (isSample ? all.filter(isInSample) : all).values()
  const files: UploadedFile[] = []
  const next = async () => {
    for (const { name, path, expect: expected } of corpus) {
      const file = readFileSync(path)
      if (file.length >= FILE_BYTES_MIN) files.push({ name, expect: expected, id: await upload(file) })
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, next))
  return files
}

async function upload(file: Buffer): Promise<string> {
  const session = await openSession(caller)
  const { status } = await postByFetch(formOf(session.client_payload, file))
  expect(status).toBe(204)
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  return session.asset.id
}

async function count(status: assets.VideoStatus): Promise<number> {
  return (await caller.get<{ count: number }>(`assets/?status=${status}&limit=1`)).body.count
}

const videoOf = async ({ id }: UploadedFile) => (await caller.get<assets.Asset>(`assets/${id}/`)).body.video

it(
  'each hostile file results in a video or an understandable error, without network access or worker errors',
  async () => {
    using canary = await openCanary()
    const fates = await uploadAll()
    expect(fates.length).toBeGreaterThan(FILES_MIN)
    await expect
      .poll(async () => (await count('Completed')) + (await count('Error')), {
        timeout: SECONDS_MAX * 1000,
        interval: 1000,
      })
      .toBe(fates.length)

    const results = new Map<string, number>()
    const errors: string[] = []
    for (const file of fates) {
      const { status, error } = await videoOf(file)
      const result = error?.code ?? status
      results.set(result, (results.get(result) ?? 0) + 1)
      if (status === 'Completed' && file.expect === 'refused') errors.push(`${file.name}: accepted`)
      if (status === 'Error') errors.push(...findErrors(file, error))
    }
    process.stdout.write(`${fates.length} files: ${JSON.stringify(Object.fromEntries(results))}\n`)
    expect(errors).toEqual([])
    // Not every file has to fail: slightly damaged files are still videos.
    expect(fates.length - (results.get('Completed') ?? 0)).toBeGreaterThanOrEqual(FILES_MIN)
    expect(canary.requests).toEqual([])
    // The workers still run: they also processed the valid files of the corpus.
    for (const { child, log } of workers) {
      expect(child.exitCode).toBeNull()
      expect(log).not.toMatch(/"level":"(error|fatal)"/)
    }
  },
  SECONDS_MAX * 1000,
)

/** Reports an error whose code is not about the file or whose detail is not a complete sentence. */
function findErrors({ name }: UploadedFile, error: assets.Asset['video']['error']): string[] {
  const { code = '', detail = '' } = error ?? {}
  const isAboutFile = code in failureCatalogue && !/^(processing|upload)_/.test(code)
  const isSentence = /^[A-Z].{15,500}[.!]$/s.test(detail) && !/root:|\/(in|etc|tmp)\//.test(detail)
  return isAboutFile && isSentence ? [] : [`${name}: ${code}: ${detail}`]
}
