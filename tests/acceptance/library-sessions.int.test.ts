/** Upload sessions for web pages of users: limits of a session, its upload token, and uploads that are given up. */
import type { tokens } from '@reelkeep/contract'
import { formOf, postByFetch, Superuser } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { listParts, putPart, signParts } from './parts.ts'
import { expectProblem } from './problems.ts'
import {
  cancel,
  complete,
  newFile,
  newSession,
  type Opened,
  readAsset,
  readSession,
  renew,
  SESSIONS,
} from './uploads.ts'

const MEBIBYTE = 1024 ** 2

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.openSwept()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = (more: object = {}) => newSession(deployment.mine, deployment.unique(), more)
const post = async ({ client_payload }: Opened, bytes: number) =>
  (await postByFetch(formOf(client_payload, newFile(bytes)))).status
const pageOf = ({ upload_token }: Opened) => deployment.mine.withToken(upload_token ?? '')
const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1000

describe('the limits of a session', () => {
  it('400: storage refuses a file above max_file_size_bytes, also with the form of a renewed session', async () => {
    const opened = await open({ max_file_size_bytes: 1000 })
    const { body: renewed } = await renew(deployment.mine, opened)
    for (const session of [opened, renewed]) {
      expect(session.upload_session.max_file_size_bytes).toBe(1000)
      expect(await post(session, 1001)).toBe(400)
    }
    expectProblem(await signParts(deployment.mine, opened, [1], 1001), 'file_too_large')
    expect(await post(renewed, 1000)).toBe(204)
    expect((await complete(deployment.mine, opened)).body.asset.bytes).toBe(1000)
  })

  it('expires_in_seconds is the lifetime of a session, also after it was renewed', async () => {
    const opened = await open({ expires_in_seconds: 300 })
    const { body: renewed } = await renew(deployment.mine, opened)
    for (const { upload_session } of [opened, renewed]) {
      expect(secondsUntil(upload_session.expires_at)).toBeGreaterThan(200)
      expect(secondsUntil(upload_session.expires_at)).toBeLessThan(400)
    }
  })

  it.each([
    { max_file_size_bytes: 0 },
    { max_file_size_bytes: 1.5 },
    { expires_in_seconds: 299 },
    { expires_in_seconds: 604_801 },
    { upload_token: 'yes' },
  ])('400: %j is refused', async (fields) => {
    const input = { title: deployment.unique(), resolutions: ['360p'], ...fields }
    expectProblem(await deployment.mine.post(SESSIONS, input), 'invalid_request')
  })
})

describe('an upload token', () => {
  it('uploads and resumes a file in parts, and reads the result', async () => {
    const opened = await open({ upload_token: true })
    const page = pageOf(opened)
    const [first, second] = [newFile(16 * MEBIBYTE), newFile(MEBIBYTE)]
    const bytes = first.length + second.length
    const { body: signed } = await signParts(page, opened, [1], bytes)
    expect(await putPart(signed.parts[0]?.url, first)).toBe(200)
    expect((await renew(page, opened)).status).toBe(200)
    const listed = await listParts(page, opened)
    expect(listed.body.parts.map(({ number }) => number)).toEqual([1])
    const { body: rest } = await signParts(page, opened, [2], bytes)
    expect(await putPart(rest.parts[0]?.url, second)).toBe(200)
    expect((await complete(page, opened)).body).toMatchObject({ status: 'Completed', asset: { bytes } })
    expect((await readSession(page, opened)).status).toBe('Completed')
  })

  it('403: cannot be used for anything but its session', async () => {
    const [opened, other] = [await open({ upload_token: true }), await open()]
    const page = pageOf(opened)
    for (const response of [
      await page.get('assets/'),
      await page.get(`assets/${opened.asset.id}/`),
      await page.delete(`assets/${opened.asset.id}/`),
      await page.get(SESSIONS),
      await page.post(SESSIONS, { title: 'Another', resolutions: ['360p'] }),
      await page.get(`${SESSIONS}${other.upload_session.uuid}/`),
      await cancel(page, other),
      await page.post('tokens/', { name: 'Mine', scopes: ['assets:read'] }),
    ]) {
      expectProblem(response, 'insufficient_scope')
    }
    expect((await readSession(deployment.mine, other)).status).toBe('Created')
  })

  it('401: ends with the API token that created it', async () => {
    const caller = await deployment.newToken(['assets:read', 'assets:write'])
    const { id } = (await caller.get<tokens.Token>('tokens/current/')).body
    const opened = await newSession(caller, deployment.unique(), { upload_token: true })
    expect((await readSession(pageOf(opened), opened)).status).toBe('Created')
    await deployment.mine.delete(`tokens/${id}/`)
    await expect
      .poll(async () => (await pageOf(opened).get(`${SESSIONS}${opened.upload_session.uuid}/`)).status)
      .toBe(401)
  })
})

describe('an upload that is given up', () => {
  const listed = async (title: string, filter = '') => {
    const path = `assets/?q=${title}${filter}`
    const { body } = await deployment.mine.get<{ count: number; results: { id: string }[] }>(path)
    expect(body.count).toBe(body.results.length)
    return body.results.map(({ id }) => id)
  }

  it('is listed only if the status Cancelled is asked for', async () => {
    const title = deployment.unique()
    const [kept, cancelled] = [await newSession(deployment.mine, title), await newSession(deployment.mine, title)]
    expect((await cancel(deployment.mine, cancelled)).status).toBe(204)
    expect(await listed(title)).toEqual([kept.asset.id])
    expect(await listed(title, '&status=Cancelled')).toEqual([cancelled.asset.id])
    expect(await readAsset(deployment.mine, cancelled)).toMatchObject({
      video: { status: 'Cancelled', error: { code: 'upload_cancelled' } },
    })
  })

  it.skipIf(isExternal)('disappears with its session after seven days, with the event of a deletion', async () => {
    const opened = await open()
    await cancel(deployment.mine, opened)
    await using superuser = await Superuser.open()
    const age = `created_at = created_at - past, expires_at = expires_at - past, closes_at = closes_at - past,
      ended_at = ended_at - past, look_at = now()`
    await superuser.query(`update upload_sessions set ${age} from make_interval(days => 8) as past where uuid = $1`, [
      opened.upload_session.uuid,
    ])
    await expect.poll(async () => (await deployment.mine.get(`assets/${opened.asset.id}/`)).status).toBe(404)
    expectProblem(await deployment.mine.get(`${SESSIONS}${opened.upload_session.uuid}/`), 'upload_session_not_found')
    const { body } = await deployment.mine.get<{ results: { type: string }[] }>(`events/?asset_id=${opened.asset.id}`)
    expect(body.results.at(-1)?.type).toBe('asset.deleted')
  })
})
