import { setTimeout as sleep } from 'node:timers/promises'
import { formOf, PacedPost, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { putPart, signParts } from './parts.ts'
import { expectProblem } from './problems.ts'
import {
  cancel,
  complete,
  detectionTimeout,
  expectAccepted,
  newFile,
  newSession,
  type Opened,
  readAsset,
  readSession,
  renew,
  sessionBecomes,
  timestampForm,
} from './uploads.ts'

const MEBIBYTE = 1024 ** 2
/** Storage checks the expiration of the form once, after the first few MiB of a file. */
const STARTED_BYTES = 8 * MEBIBYTE
const largeFile = newFile(12 * MEBIBYTE)

// Storage sends no notifications, and the tests only send GET requests.
describe.skipIf(isExternal)('3. Transitions detected by the sweep', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.openSwept({
      UPLOAD_LIFETIME_SECONDS: '10',
      UPLOAD_TRANSFER_SECONDS_MAX: '1',
      UPLOAD_FIRST_CHECK_SECONDS: '1',
      UPLOAD_SWEEP_SECONDS: '1',
    })
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  const open = () => newSession(deployment.mine, deployment.unique())
  const post = ({ client_payload }: Opened, bytes: number) => postByCurl(formOf(client_payload, newFile(bytes)))

  it('[3.3, 4.5.5] a session becomes Completed when its file is in storage', detectionTimeout, async () => {
    const opened = await open()
    expect(await post(opened, 2000)).toMatchObject({ status: 204 })
    await sessionBecomes(deployment.mine, opened, 'Completed')
    await expectAccepted(deployment.mine, opened, 2000)
  })

  it('[3.3, 4.5.5] a session becomes Failed when its stored file is invalid', detectionTimeout, async () => {
    const opened = await open()
    expect(await post(opened, 1)).toMatchObject({ status: 204 })
    await sessionBecomes(deployment.mine, opened, 'Failed')
    await expectEnded(opened, 'Error', 'upload_empty')
  })

  it('[3.3, 8.2] a session becomes Expired when no file was uploaded', detectionTimeout, async () => {
    const opened = await open()
    const session = await sessionBecomes(deployment.mine, opened, 'Expired')
    expect(session).toMatchObject({ error: null, ended_at: expect.stringMatching(timestampForm) })
    expect(Date.parse(session.ended_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(opened.upload_session.expires_at) + 1000,
    )
    await expectNoFile(opened)
    for (const attempt of [cancel, renew, complete]) {
      const problem = expectProblem(await attempt(deployment.mine, opened), 'upload_session_closed')
      expect(problem.detail).toContain('Expired')
    }
  })

  it('[3.3, 8.2] a session becomes Expired when a part is missing', detectionTimeout, async () => {
    const opened = await open()
    const { body } = await signParts(deployment.mine, opened, [1], 20 * MEBIBYTE)
    expect(await putPart(body.parts[0]?.url, newFile(16 * MEBIBYTE))).toBe(200)
    await sessionBecomes(deployment.mine, opened, 'Expired')
    await expectNoFile(opened)
  })

  it(
    '[3.3, 4.5.5, 8.2] an Expired session becomes Completed when an upload that started in time ends late',
    detectionTimeout,
    async () => {
      const opened = await open()
      const late = new PacedPost(formOf(opened.client_payload, largeFile))
      await late.send(STARTED_BYTES)
      await sessionBecomes(deployment.mine, opened, 'Expired')
      await expectNoFile(opened)
      expect(await late.finish()).toMatchObject({ status: 204 })
      await sessionBecomes(deployment.mine, opened, 'Completed')
      await expectAccepted(deployment.mine, opened, largeFile.length)
    },
  )

  it('[3.3, 8.2] a session stays Created as long as it is renewed', detectionTimeout, async () => {
    const [opened, control] = [await open(), await open()]
    while ((await readSession(deployment.mine, control)).status === 'Created') {
      expect(await renew(deployment.mine, opened)).toMatchObject({ status: 200 })
      await sleep(500)
    }
    expect(await renew(deployment.mine, opened)).toMatchObject({ status: 200 })
  })

  const expectNoFile = (opened: Opened) => expectEnded(opened, 'Cancelled', 'upload_expired')

  async function expectEnded(opened: Opened, status: string, code: string): Promise<void> {
    const asset = await readAsset(deployment.mine, opened)
    const error = { code, detail: expect.stringMatching(/\S/) }
    expect(asset).toMatchObject({ bytes: null, video: { status, error } })
  }
})
