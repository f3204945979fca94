import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { signParts } from './parts.ts'
import { expectProblem } from './problems.ts'
import {
  cancel,
  complete,
  expectAccepted,
  expectCompleted,
  newFile,
  newSession,
  type Opened,
  readAsset,
  readSession,
  renew,
  timestampForm,
} from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = () => newSession(deployment.mine, deployment.unique())
const post = ({ client_payload }: Opened, bytes = 2000) => postByCurl(formOf(client_payload, newFile(bytes)))

async function openInParts(): Promise<Opened> {
  const opened = await open()
  await signParts(deployment.mine, opened, [1], 50_000)
  return opened
}

const openings = [
  ['Created', open],
  ['Uploading', openInParts],
] as const

describe('3. States on creation', () => {
  it('[3.1, 3.2] 201: a new session is Created, and its video is Not Started', async () => {
    const { upload_session, asset } = await open()
    expect(upload_session.status).toBe('Created')
    expect(asset.video.status).toBe('Not Started')
  })

  it('[3.1, 3.2] 200: a session and its video keep their first states until a file is uploaded', async () => {
    const opened = await open()
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Created' })
    expect(await readAsset(deployment.mine, opened)).toEqual(opened.asset)
  })
})

describe('3. Transitions', () => {
  it.for(openings)('[3.3] a %s session becomes Completed, and its asset has the file size', async ([, begin]) => {
    const opened = await begin()
    await post(opened)
    await expectCompleted(deployment.mine, opened, 2000)
    const { updated_at, created_at } = await readAsset(deployment.mine, opened)
    expect(updated_at > created_at).toBe(true)
  })

  it.for(openings)('[3.3] a %s session becomes Cancelled, and its video has an error', async ([, begin]) => {
    const opened = await begin()
    const response = await cancel(deployment.mine, opened)
    expect(response).toMatchObject({ status: 204, text: '' })
    await expectCancelled(opened)
  })

  it('[3.3] Cancelled is final: posting the old form does not reopen the session', async () => {
    const opened = await open()
    await cancel(deployment.mine, opened)
    // Storage is independent of sessions: it accepts the form until it expires.
    expect(await post(opened)).toMatchObject({ status: 204 })
    expectProblem(await complete(deployment.mine, opened), 'upload_session_closed')
    await expectCancelled(opened)
  })

  it('[3.3] a session whose file has not been detected yet can be cancelled', async () => {
    const opened = await open()
    await post(opened)
    expect(await cancel(deployment.mine, opened)).toMatchObject({ status: 204 })
    await expectCancelled(opened)
  })

  it('[3.3] 409: a closed session can be neither cancelled nor renewed, and keeps its status', async () => {
    const completed = await open()
    await post(completed)
    await complete(deployment.mine, completed)
    const cancelled = await open()
    await cancel(deployment.mine, cancelled)
    for (const [opened, status, attempts] of [
      [completed, 'Completed', [cancel, renew]],
      [cancelled, 'Cancelled', [renew]],
    ] as const) {
      const before = await readSession(deployment.mine, opened)
      for (const attempt of attempts) {
        const problem = expectProblem(await attempt(deployment.mine, opened), 'upload_session_closed')
        expect(problem.detail).toContain(status)
      }
      expect(await readSession(deployment.mine, opened)).toEqual(before)
      expect(before.status).toBe(status)
    }
  })

  it('[3.3] 204: cancelling a cancelled session has no effect', async () => {
    const opened = await open()
    await cancel(deployment.mine, opened)
    const before = await readSession(deployment.mine, opened)
    expect(await cancel(deployment.mine, opened)).toMatchObject({ status: 204, text: '' })
    expect(await readSession(deployment.mine, opened)).toEqual(before)
  })

  it('[3.3] concurrent complete and cancel requests leave the session either Completed or Cancelled', async () => {
    for (let round = 0; round < 5; round++) {
      const opened = await open()
      await post(opened)
      const [hint, cancellation] = await Promise.all([
        complete(deployment.mine, opened),
        cancel(deployment.mine, opened),
      ])
      const { status } = await readSession(deployment.mine, opened)
      expect([status, hint.status, cancellation.status]).toBeOneOf([
        ['Completed', 200, 409],
        ['Cancelled', 409, 204],
      ])
      if (status === 'Completed') await expectAccepted(deployment.mine, opened, 2000)
      else await expectCancelled(opened)
    }
  })

  it.for(['019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55', 'nonsense', '1'])(
    '[3.3] 404: a session that does not exist cannot be cancelled, renewed or completed: %s',
    async (uuid) => {
      const session = { upload_session: { uuid } } as Opened
      for (const attempt of [cancel, renew, complete]) {
        expectProblem(await attempt(deployment.mine, session), 'upload_session_not_found')
      }
    },
  )

  async function expectCancelled(opened: Opened): Promise<void> {
    const session = await readSession(deployment.mine, opened)
    expect(session).toMatchObject({ status: 'Cancelled', error: null })
    expect(session.ended_at).toMatch(timestampForm)
    const error = { code: 'upload_cancelled', detail: expect.stringMatching(/\S/) }
    const asset = await readAsset(deployment.mine, opened)
    expect(asset).toMatchObject({ bytes: null, video: { status: 'Cancelled', error } })
  }
})
