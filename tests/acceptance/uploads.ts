import { randomFillSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { expect } from 'vitest'
import { isExternal } from './deployment.ts'
import { expectProblem } from './problems.ts'

export type Asset = assets.Asset
export type Opened = uploadSessions.NewUploadSession
export type Session = uploadSessions.UploadSessionDetails

/** Path of the upload sessions, relative to the organization. */
export const SESSIONS = 'assets/upload-sessions/'

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Random bytes; storage does not check whether a file is a video. */
export const newFile = (bytes: number) => randomFillSync(Buffer.alloc(bytes))

/** Creates an upload session as a precondition of a test. */
export async function newSession(caller: Caller, title: string, more: object = {}): Promise<Opened> {
  const input = { title, resolutions: ['360p', '720p'], ...more }
  const { status, body, text } = await caller.post<Opened>(SESSIONS, input)
  if (status !== 201) throw new Error(`Cannot create an upload session: ${text}`)
  return body
}

export async function readSession(caller: Caller, { upload_session }: Opened): Promise<Session> {
  const response = await caller.get<Session>(`${SESSIONS}${upload_session.uuid}/`)
  if (response.status !== 200) throw new Error(`Cannot read the session: ${response.text}`)
  return response.body
}

export async function readAsset(caller: Caller, { asset }: Opened): Promise<Asset> {
  const response = await caller.get<Asset>(`assets/${asset.id}/`)
  if (response.status !== 200) throw new Error(`Cannot read the asset: ${response.text}`)
  return response.body
}

export const complete = (caller: Caller, { upload_session }: Opened) =>
  caller.post<uploadSessions.CompletedUploadSession>(`${SESSIONS}${upload_session.uuid}/complete/`)

export const cancel = (caller: Caller, { upload_session }: Opened) =>
  caller.delete(`${SESSIONS}${upload_session.uuid}/`)

export const renew = (caller: Caller, { upload_session }: Opened) =>
  caller.post<Opened>(`${SESSIONS}${upload_session.uuid}/renew/`)

/** Checks that no file was found and nothing has changed since the session was created. */
export async function expectNothingArrived(caller: Caller, opened: Opened): Promise<void> {
  expectProblem(await complete(caller, opened), 'upload_not_arrived')
  expect(await readSession(caller, opened)).toMatchObject({ status: 'Created', ended_at: null })
  expect(await readAsset(caller, opened)).toEqual(opened.asset)
}

/** Completes the session and checks that it has a file of this size. */
export async function expectCompleted(caller: Caller, opened: Opened, bytes: number): Promise<void> {
  const { status, body, text } = await complete(caller, opened)
  expect({ status, text }).toMatchObject({ status: 200 })
  expect(body).toMatchObject({ status: 'Completed', error: null })
  expect(body.asset).toMatchObject({ id: opened.asset.id, bytes })
  await expectAccepted(caller, opened, bytes)
}

/** Possible statuses after the file is accepted; `Error` is included because most test files are not videos. */
const statusesAfterUpload = ['Queued', 'Processing', 'Completed', 'Error'] as const

/** Checks that the session is completed with a file of this size, whatever the result of processing is. */
export async function expectAccepted(caller: Caller, opened: Opened, bytes: number): Promise<void> {
  const session = await readSession(caller, opened)
  expect(session).toMatchObject({ status: 'Completed', error: null })
  expect(session.ended_at).toMatch(timestampForm)
  const asset = await readAsset(caller, opened)
  expect(asset.bytes).toBe(bytes)
  expect(asset.video.status).toBeOneOf([...statusesAfterUpload])
  expect(asset.video.error?.code ?? '').not.toMatch(/^upload_/)
}

/** Time limit for automatic detection: the first storage notification takes up to 90 s. */
const DETECTED_SECONDS_MAX = isExternal ? 180 : 120

/** Test timeout for tests that wait for automatic detection. */
export const detectionTimeout = { timeout: (DETECTED_SECONDS_MAX + 20) * 1000 }

const ASK_AGAIN_MILLISECONDS = 100

/** Polls the session until it has this status, without completing it. */
export async function sessionBecomes(
  caller: Caller,
  opened: Opened,
  status: uploadSessions.SessionStatus,
): Promise<Session> {
  const deadline = performance.now() + DETECTED_SECONDS_MAX * 1000
  for (;;) {
    const session = await readSession(caller, opened)
    if (session.status === status) return session
    if (performance.now() > deadline) {
      throw new Error(`The session is ${session.status}, not ${status}: ${JSON.stringify(session)}`)
    }
    await sleep(ASK_AGAIN_MILLISECONDS)
  }
}

/** Polls the `complete/` endpoint until the session has expired. */
export async function expireByAsking(caller: Caller, opened: Opened): Promise<void> {
  const deadline = performance.now() + DETECTED_SECONDS_MAX * 1000
  for (;;) {
    const response = await complete(caller, opened)
    const { status } = await readSession(caller, opened)
    if (status === 'Expired') return
    expectProblem(response, 'upload_not_arrived')
    if (performance.now() > deadline) throw new Error(`The session is still ${status}`)
    await sleep(ASK_AGAIN_MILLISECONDS)
  }
}

/** Waits until the given time has passed on the clock of this machine, which the service shares. */
export async function passed(timestamp: string): Promise<void> {
  await sleep(Math.max(0, Date.parse(timestamp) - Date.now() + 1))
}
