import { formOf, postByCurl, type StorageResponse, withFields } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { expectProblem } from './problems.ts'
import {
  complete,
  expectCompleted,
  expectNothingArrived,
  newFile,
  newSession,
  type Opened,
  readAsset,
  readSession,
} from './uploads.ts'
import { wrongForms } from './wrong-forms.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = () => newSession(deployment.mine, deployment.unique())

const FILE_BYTES = 2000
const rightForm = ({ client_payload }: Opened) => formOf(client_payload, newFile(FILE_BYTES))

/** Other storage servers may use another error code. */
function expectRejected({ status, text }: StorageResponse, expected: number, code: string): void {
  expect(status).toBeOneOf(isExternal ? [400, 401, 403] : [expected])
  if (!isExternal) expect(text).toContain(`<Code>${code}</Code>`)
}

describe('4.5 A modified form', () => {
  it.for(wrongForms)(
    '[4.5.3, 4.5.4, 4.5.5] storage rejects a form with %s, and the session stays open',
    async ([, status, code, alter]) => {
      const opened = await open()
      const form = rightForm(opened)
      const response = await postByCurl(await alter({ ...opened, other: open }, form))
      expectRejected(response, status, code)
      await expectNothingArrived(deployment.mine, opened)
      expect(await postByCurl(form)).toMatchObject({ status: 204 })
      await expectCompleted(deployment.mine, opened, FILE_BYTES)
    },
  )

  it('[4.5.4] 204: fields after the file are ignored, and the file is complete', async () => {
    const opened = await open()
    const form = rightForm(opened)
    const late = { ...form, fields: [...form.fields, ['note', 'too late'] as const] }
    expect(await postByCurl(late)).toMatchObject({ status: 204 })
    await expectCompleted(deployment.mine, opened, FILE_BYTES)
  })

  // Ceph stores two bytes for a form without a file; other storage servers may reject it.
  it.skipIf(isExternal)(
    '[4.5.3, 4.5.5] 204: a form without a file makes the session Failed, and its asset has the reason',
    async () => {
      const opened = await open()
      const form = rightForm(opened)
      expect(await postByCurl(withFields(form, { file: undefined }))).toMatchObject({ status: 204 })
      await expectFailed(opened)
      // The session stays Failed even if a correct form is posted.
      expect(await postByCurl(form)).toMatchObject({ status: 204 })
      await expectFailed(opened)
    },
  )

  async function expectFailed(opened: Opened): Promise<void> {
    const error = { code: 'upload_empty', detail: expect.stringMatching(/\bfile\b/) }
    const response = await complete(deployment.mine, opened)
    expect(expectProblem(response, 'upload_session_closed').detail).toMatch(/\bfile\b/)
    const session = await readSession(deployment.mine, opened)
    expect(session).toMatchObject({ status: 'Failed', error })
    const asset = await readAsset(deployment.mine, opened)
    expect(asset).toMatchObject({ bytes: null, video: { status: 'Error', error } })
  }
})
