/**
 * Files that somebody means harm with, or that were broken on the way, uploaded like any other and
 * processed by real workers. Each must end, with a sentence for whoever uploaded it; the workers
 * must live on; and nobody may have knocked where they point to.
 *
 * With FILMS=sample, as CI has it: all that were thought of, and of those that chance has broken some.
 */
import { readFileSync } from 'node:fs'
import { type assets, failureCatalogue } from '@reelkeep/contract'
import { makeHostileCorpus } from '@reelkeep/media/hostile'
import { openCanary } from '@reelkeep/media/hostile-canary'
import {
  ApiProcess,
  Caller,
  formOf,
  newOrganization,
  openOwner,
  openSession,
  postByFetch,
  resetDatabase,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  wantedFilms,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

/** What storage takes for the remains of a form without a file; shorter ones never reach the pipeline. */
const FILE_BYTES_MIN = 16
const UPLOADS_AT_ONCE = 4
const SECONDS_MAX = 900

/** Every seventh is of another container each time, and broken in another way; all others are one of a kind. */
const isOfSample = ({ name }: { name: string }, index: number) =>
  !/^(cut|zzuf)-/.test(name) || index % 7 === 0
const isSample = wantedFilms === 'sample'
const FILES_MIN = isSample ? 170 : 300

const env = withDatabase(stackEnv(), 'hostile')
await Promise.all([resetDatabase(env), setUpUploads(env)])
const api = await opened(ApiProcess.start({}, env))
// One encodes while the other waits for its next part.
const workers = [
  await opened(WorkerProcess.start({ env })),
  await opened(WorkerProcess.start({ env })),
]
const caller = await newCaller()

async function newCaller(): Promise<Caller> {
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner)
  return new Caller(api.send, organizationId, token)
}

type Fate = { readonly name: string; readonly expect: string; readonly id: string }

async function uploadAll(): Promise<Fate[]> {
  const all = await makeHostileCorpus()
  const corpus = (isSample ? all.filter(isOfSample) : all).values()
  const fates: Fate[] = []
  const next = async () => {
    for (const { name, path, expect: expected } of corpus) {
      const file = readFileSync(path)
      if (file.length >= FILE_BYTES_MIN)
        fates.push({ name, expect: expected, id: await upload(file) })
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, next))
  return fates
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

const videoOf = async ({ id }: Fate) => (await caller.get<assets.Asset>(`assets/${id}/`)).body.video

it(
  'ends each of them in a video or in an Error that a person understands, and nothing else happens',
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

    const verdicts = new Map<string, number>()
    const faults: string[] = []
    for (const fate of fates) {
      const { status, error } = await videoOf(fate)
      const verdict = error?.code ?? status
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      if (status === 'Completed' && fate.expect === 'refused') faults.push(`${fate.name}: taken`)
      if (status === 'Error') faults.push(...faultsOf(fate, error))
    }
    process.stdout.write(`${fates.length} files: ${JSON.stringify(Object.fromEntries(verdicts))}\n`)
    expect(faults).toEqual([])
    // What is broken a little still is a video, and the rest is more than enough.
    expect(fates.length - (verdicts.get('Completed') ?? 0)).toBeGreaterThanOrEqual(FILES_MIN)
    expect(canary.touched).toEqual([])
    // The same processes, and they still work: healthy files among the hostile ones have been processed by them.
    for (const { child, log } of workers) {
      expect(child.exitCode).toBeNull()
      expect(log).not.toMatch(/"level":"(error|fatal)"/)
    }
  },
  SECONDS_MAX * 1000,
)

/** Codes of ours only: that the processing failed would blame the worker for the file. */
function faultsOf({ name }: Fate, error: assets.Asset['video']['error']): string[] {
  const { code = '', detail = '' } = error ?? {}
  const isOfTheFile = code in failureCatalogue && !/^(processing|upload)_/.test(code)
  const isSentence = /^[A-Z].{15,500}[.!]$/s.test(detail) && !/root:|\/(in|etc|tmp)\//.test(detail)
  return isOfTheFile && isSentence ? [] : [`${name}: ${code}: ${detail}`]
}
