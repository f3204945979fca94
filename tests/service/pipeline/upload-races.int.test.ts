/**
 * Sends concurrent requests over HTTP while a worker sweeps. In any order, no response may be an internal error, the
 * states of session and asset must match, a file is accepted once, and no orphans remain in storage.
 */
import type { uploadSessions } from '@reelkeep/contract'
import {
  ApiProcess,
  newCaller,
  Objects,
  openSession,
  postForm,
  resetDatabase,
  Superuser,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'

const SESSIONS = 'assets/upload-sessions/'
const ROUNDS = 6
const FILE_BYTES = 50_000

/** Status of a request that has to be retried, because storage is joining the parts for another request. */
const BEING_JOINED = 503
const JOINING = 'Storage is joining the parts.'

/** The test has its own database, because a worker sweeps every due session in its database. */
const env = withDatabase(stackEnv(), 'races')
const settings = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-races',
  UPLOAD_LIFETIME_SECONDS: '10',
  UPLOAD_TRANSFER_SECONDS_MAX: '1',
  UPLOAD_FIRST_CHECK_SECONDS: '1',
  UPLOAD_SWEEP_SECONDS: '1',
  // The uploaded files are not videos, so the worker does not process them.
  WORKER_QUEUES: 'light',
}
await Promise.all([resetDatabase(env), setUpUploads(env, settings)])
const api = await opened(ApiProcess.start(settings, env))
const worker = await opened(WorkerProcess.start({ settings, env }))
const superuser = await opened(Superuser.open(env))
const objects = new Objects(env, settings.STORAGE_UPLOADS_BUCKET)
afterAll(() => objects[Symbol.dispose]())

const caller = await newCaller(api.send, env)
/** The key prefix of all objects that this run stores. */
const prefix = `${caller.organizationId}/`

type Opened = Awaited<ReturnType<typeof openSession>>
type Action = (session: Opened) => Promise<{ readonly status: number; readonly text: string }>

const pathOf = ({ upload_session }: Opened) => `${SESSIONS}${upload_session.uuid}/`
const complete: Action = (session) => caller.post(`${pathOf(session)}complete/`)
const cancel: Action = (session) => caller.delete(pathOf(session))
const renew: Action = (session) => caller.post(`${pathOf(session)}renew/`)
const deleteAsset: Action = ({ asset }) => caller.delete(`assets/${asset.id}/`)
const signParts = (session: Opened) =>
  caller.post<{ parts: { url: string }[] }>(`${pathOf(session)}parts/`, {
    file_size_bytes: FILE_BYTES,
    numbers: [1],
  })

/** A session whose file was posted with the form, and possibly not detected yet. */
async function byForm(): Promise<Opened> {
  const session = await openSession(caller)
  expect(await postForm(session)).toBe(204)
  return session
}

/** A session whose only part is in storage, and not yet joined. */
async function inParts(): Promise<Opened> {
  const session = await openSession(caller)
  const { body } = await signParts(session)
  const file = new Uint8Array(FILE_BYTES)
  const answer = await fetch(body.parts[0]?.url ?? '', { method: 'PUT', body: file })
  expect(answer.status).toBe(200)
  return session
}

/** Sends the requests concurrently, and checks that no response is an internal error. */
async function race(session: Opened, ...actions: Action[]): Promise<number[]> {
  const answers = await Promise.all(actions.map((action) => action(session)))
  for (const { status, text } of answers) {
    if (!text.includes(JOINING)) expect(status, text).toBeLessThan(500)
  }
  await expectConsistent(session)
  return answers.map(({ status }) => status)
}

type State = {
  readonly status: uploadSessions.SessionStatus
  readonly assetStatus: string
  readonly assetError: string | null
  readonly completions: number
}

const expectedStates: Record<uploadSessions.SessionStatus, Omit<State, 'status'>> = {
  Created: { assetStatus: 'Not Started', assetError: null, completions: 0 },
  Uploading: { assetStatus: 'Not Started', assetError: null, completions: 0 },
  Completed: { assetStatus: 'Queued', assetError: null, completions: 1 },
  Cancelled: { assetStatus: 'Cancelled', assetError: 'upload_cancelled', completions: 0 },
  Expired: { assetStatus: 'Cancelled', assetError: 'upload_expired', completions: 0 },
  Failed: { assetStatus: 'Error', assetError: 'upload_empty', completions: 0 },
}

/** Checks that the states of session and asset match, or that both are deleted. */
async function expectConsistent({ upload_session, asset }: Opened): Promise<void> {
  const [state] = await superuser.query<State>(
    `select session.status, asset.status as "assetStatus", asset.error_code as "assetError",
       (select count(*)::int from asset_happenings as entry
        where entry.asset_id = asset.id and what = 'uploaded') as completions
     from upload_sessions as session full join assets as asset on asset.id = session.asset_id
     where session.uuid = $1 or asset.id = $2`,
    [upload_session.uuid, asset.id],
  )
  if (state) expect(state).toEqual({ status: state.status, ...expectedStates[state.status] })
}

async function rounds(begin: () => Promise<Opened>, ...actions: Action[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    // Alternates the order in which the requests are sent.
    await race(await begin(), ...(round % 2 === 0 ? actions : actions.toReversed()))
  }
}

describe.each([
  ['posted with a form', byForm],
  ['uploaded in parts', inParts],
] as const)('the session of a file %s', (_, begin) => {
  it('stays consistent after concurrent complete and cancel requests', () => rounds(begin, complete, cancel))
  it('stays consistent if it is completed while its asset is deleted', () => rounds(begin, complete, deleteAsset))
  it('stays consistent if it is completed, cancelled and renewed while its asset is deleted', () =>
    rounds(begin, complete, cancel, renew, deleteAsset))

  it('can be completed by four concurrent requests, each of which succeeds or has to be retried', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const session = await begin()
      const statuses = await race(session, complete, complete, complete, complete)
      expect(statuses).toContain(200)
      expect(statuses.filter((status) => status !== 200 && status !== BEING_JOINED)).toEqual([])
      expect((await complete(session)).status).toBe(200)
    }
  })
})

describe('an upload session', () => {
  it('is cancelled if it is renewed and cancelled concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const session = await openSession(caller)
      const [renewed, cancelled] = await race(session, renew, cancel)
      expect(renewed).toBeOneOf([200, 409])
      expect(cancelled).toBe(204)
    }
  })

  it('has one multipart upload in storage if its first part is signed five times concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const session = await openSession(caller)
      const statuses = await race(session, ...Array.from({ length: 5 }, () => signParts))
      expect(statuses).toEqual([200, 200, 200, 200, 200])
      expect(await objects.unfinished(session.client_payload.key)).toHaveLength(1)
    }
  })

  it('has no multipart upload after the sweep if it is cancelled while its first part is signed', () =>
    rounds(() => openSession(caller), signParts, cancel, signParts))

  it('is created once by five concurrent requests with the same idempotency key', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const input = { title: `Round ${round}`, resolutions: ['360p'] }
      const headers = { 'idempotency-key': `round-${round}` }
      const create = () => caller.post<Opened>(SESSIONS, input, headers)
      const answers = await Promise.all(Array.from({ length: 5 }, create))
      const made = answers.filter(({ status }) => status === 201)
      expect(made.length).toBeGreaterThanOrEqual(1)
      expect(new Set(made.map(({ body }) => body.upload_session.uuid)).size).toBe(1)
      for (const { status, headers } of answers.filter((answer) => !made.includes(answer))) {
        expect([status, Number(headers['retry-after'])]).toEqual([409, expect.toSatisfy((s) => s > 0)])
      }
      const rows = await superuser.query('select from assets where title = $1', [input.title])
      expect(rows).toHaveLength(1)
    }
  })
})

describe('after all concurrent requests', () => {
  it('every session ends, and storage contains only the accepted files', async () => {
    const open = () => superuser.query(`select uuid from upload_sessions where ended_at is null`)
    await expect.poll(open, { interval: 500 }).toEqual([])
    const owned = await superuser.query<{ key: string; version: string }>(
      'select source_key as key, source_version as version from assets where source_key is not null',
    )
    expect(owned.length).toBeGreaterThan(ROUNDS)
    const byVersion = (files: readonly { readonly key: string; readonly version: string }[]) =>
      files.map(({ key, version }) => `${key} ${version}`).sort()
    const stored = async () => byVersion(await objects.versions(prefix))
    await expect.poll(stored, { interval: 500 }).toEqual(byVersion(owned))
    await expect.poll(() => objects.unfinished(prefix)).toEqual([])
  })

  it('neither the worker nor the API has logged an error', () => {
    for (const { log } of [api, worker]) {
      const problems = log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line))
      expect(problems.filter((line) => !line.includes(JOINING))).toEqual([])
    }
  })
})
