/** Sections 1, 5 and 7 for all chapter endpoints. */
import { type Caller, formOf, type Method, postByFetch } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAt, allChapters, type Chapter, chaptersOfVideo } from './chapters.ts'
import { Deployment } from './deployment.ts'
import { expectAnyProblem, expectProblem } from './problems.ts'
import { newFile, newSession } from './uploads.ts'
import { PROCESSED_MILLISECONDS_MAX } from './videos.ts'

let deployment: Deployment
let list: string
let chapters: Chapter[]
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  list = await chaptersOfVideo(deployment.mine, deployment.unique())
  chapters = (await addAt(deployment.mine, list, '00:00:00')).body.results
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())

const body = { chapters: [{ title: 'Refused', start_time: '00:00:09' }] }

/** Valid requests to the three chapter endpoints. */
const requests = () =>
  [
    ['POST', list, body],
    ['GET', list, undefined],
    ['DELETE', `${list}${chapters[0]?.id}/`, undefined],
  ] as const satisfies readonly (readonly [Method, string, unknown])[]

async function sendAll(caller: Caller, headers: Record<string, string> = {}) {
  const responses = []
  for (const [method, path, body] of requests()) {
    responses.push(await caller.send(method, path, body, headers))
  }
  return responses
}

const expectUntouched = async () => expect(await allChapters(deployment.mine, list)).toEqual(chapters)

describe('1. Chapters', () => {
  it('[1.5] 201, 200, 204: chapters are added, listed and deleted', async () => {
    const { body } = await addAt(deployment.mine, list, '00:05:00')
    expect(await allChapters(deployment.mine, list)).toEqual([...chapters, ...body.results])
    const { status } = await deployment.mine.delete(`${list}${body.results[0]?.id}/`)
    expect(status).toBe(204)
    await expectUntouched()
  })
})

describe('5. Authentication of the chapter endpoints', () => {
  it.for([
    ['is empty', () => ''],
    ['is the bare token', (token: string) => token],
    ['has another scheme', (token: string) => `Basic ${token}`],
    ['has a malformed token', () => 'token junk'],
    ['has one letter less', (token: string) => `token ${token.slice(0, -1)}`],
  ] as const)('[5.1, 5.2, 7.6] 401: rejects a header that %s', async ([, headerFor]) => {
    const authorization = headerFor(deployment.mine.token)
    for (const response of await sendAll(deployment.mine, { authorization })) {
      expectProblem(response, 'unauthenticated')
      expect(response.headers['www-authenticate']).toBe('token')
    }
    await expectUntouched()
  })

  it('[5.1, 5.2, 7.6] 401: rejects a request without the header', async () => {
    for (const [method, path, body] of requests()) {
      const response = await deployment.send({
        method,
        path: `/api/v1/${deployment.mine.organizationId}/${path}`,
        headers: body ? { 'content-type': 'application/json' } : {},
        body: body && JSON.stringify(body),
      })
      expectProblem(response, 'unauthenticated')
    }
    await expectUntouched()
  })

  it('[5.2, 5.4] 403: rejects a token without the read or write scope of the endpoint', async () => {
    const reader = await deployment.newToken(['assets:read'])
    const [post, get, remove] = await sendAll(reader)
    for (const response of [post, remove]) if (response) expectProblem(response, 'insufficient_scope')
    expect(get?.status).toBe(200)
    const outsider = await deployment.newToken(['folders:read', 'folders:write'])
    for (const response of await sendAll(outsider)) expectProblem(response, 'insufficient_scope')
    await expectUntouched()
  })

  it('[5.1] 404: rejects a token of another organization', async () => {
    const intruder = deployment.other.at(deployment.mine.organizationId)
    for (const response of await sendAll(intruder)) expectProblem(response, 'organization_not_found')
    await expectUntouched()
  })
})

describe('7. Status codes of the chapter endpoints', () => {
  it('[7.1, 7.8] the OpenAPI document describes status 500 of every endpoint', async () => {
    const { paths } = (await (await fetch(`${deployment.baseUrl}/docs/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>
    }
    const base = '/api/v1/{organization_id}/assets/{asset_id}/chapters/'
    const described = [
      [paths[base]?.['post'], '201'],
      [paths[base]?.['get'], '200'],
      [paths[`${base}{chapter_id}/`]?.['delete'], '204'],
    ] as const
    for (const [operation, success] of described) {
      const responses = operation?.responses ?? {}
      expect(Object.keys(responses)).toEqual(expect.arrayContaining([success, '400', '401', '404', '500']))
      expect(responses['500']?.content).toHaveProperty(['application/problem+json'])
    }
  })

  it.for([
    '{',
    'null',
    '[]',
    '"x"',
    '{"chapters":null}',
    '{"chapters":[null]}',
    '{"chapters":[[]]}',
    `{"chapters":[${'[['.repeat(20_000)}`,
    '{"chapters":[{"title":"\\ud800","start_time":"00:00:00"}]}',
    '{"chapters":[{"title":"\\u0000","start_time":"00:00:00"}]}',
    '{"__proto__":{},"chapters":[]}',
  ])('[7.5, 7.8] 400: rejects the body %s without an internal error', async (text) => {
    const response = await deployment.mine.post(list, text)
    expect(expectAnyProblem(response).status).toBe(400)
    await expectUntouched()
  })

  it('[7.7] 404: an asset of another organization is not found', async () => {
    const theirs = await newSession(deployment.other, deployment.unique())
    await postByFetch(formOf(theirs.client_payload, newFile(2000)))
    const response = await addAt(deployment.mine, `assets/${theirs.asset.id}/chapters/`, '00:00:00')
    expectProblem(response, 'asset_not_found')
  })
})
