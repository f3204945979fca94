import { setTimeout as sleep } from 'node:timers/promises'
import type { tokens } from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { FOLDERS, listFolders, listPath } from './folders.ts'
import { expectProblem, withoutRequestId } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const list = (headers: Record<string, string>, organizationId = deployment.mine.organizationId) =>
  deployment.send({
    method: 'GET',
    path: `/api/v1/${organizationId}/${listPath({ limit: 1 })}`,
    headers,
    body: undefined,
  })

const create = (headers: Record<string, string>, body: string) =>
  deployment.send({
    method: 'POST',
    path: `/api/v1/${deployment.mine.organizationId}/${FOLDERS}`,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

describe('5. The header', () => {
  it.for(['token', 'Token', 'TOKEN', 'Bearer', 'bearer'])(
    '[5.1] 200, 201: accepts the scheme %s followed by a token',
    async (word) => {
      const headers = { authorization: `${word} ${deployment.mine.token}` }
      expect(await list(headers)).toMatchObject({ status: 200 })
      const body = JSON.stringify({ title: deployment.unique() })
      expect(await create(headers, body)).toMatchObject({ status: 201 })
    },
  )

  it('[5.1, 7.10] 401: rejects a request without the header', async () => {
    const title = deployment.unique()
    for (const response of [await list({}), await create({}, JSON.stringify({ title }))]) {
      expectProblem(response, 'unauthenticated')
      expect(response.headers['www-authenticate']).toBe('token')
    }
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 0 })
  })

  it.for([
    ['is empty', () => ''],
    ['is the bare token', (token: string) => token],
    ['is the bare scheme', () => 'token'],
    ['is the scheme and a space', () => 'token '],
    ['has no space', (token: string) => `token${token}`],
    ['has another scheme', (token: string) => `Basic ${token}`],
    ['has text after the token', (token: string) => `token ${token} more`],
    ['has the token twice', (token: string) => `token ${token}, token ${token}`],
    ['has quotes', (token: string) => `token "${token}"`],
    ['has a token with a letter missing', (token: string) => `token ${token.slice(0, -1)}`],
    ['has a token with an extra letter', (token: string) => `token ${token}a`],
    ['has a token in capitals', (token: string) => `token ${token.toUpperCase()}`],
    ['has a malformed token', () => 'token junk'],
    ['is very long', () => `token ${'a'.repeat(4000)}`],
    ['contains SQL', () => "token ' or 1=1 --"],
  ] as const)('[5.1, 7.10] 401: rejects a header that %s', async ([, headerFor]) => {
    const response = await list({ authorization: headerFor(deployment.mine.token) })
    expectProblem(response, 'unauthenticated')
    expect(response.headers['www-authenticate']).toBe('token')
  })

  it('[5.1, 7.10] 401: rejects a token with one wrong letter at any position', async () => {
    const { token } = deployment.mine
    const start = token.lastIndexOf('_') + 1
    for (const index of [0, 3, start, start + 15, token.length - 7, token.length - 1]) {
      const letter = token[index] === 'x' ? 'y' : 'x'
      const wrong = token.slice(0, index) + letter + token.slice(index + 1)
      expectProblem(await list({ authorization: `token ${wrong}` }), 'unauthenticated')
    }
  })

  it('[5.1] 401: the response reveals nothing about the organization in the path', async () => {
    const known = await list({})
    const unknown = await list({}, 'zz9zz9zz9zz9')
    expectProblem(unknown, 'unauthenticated')
    expect(withoutRequestId(unknown)).toEqual(withoutRequestId(known))
  })

  it('[5.1] 401: authentication is checked before the body', async () => {
    for (const body of ['{', '{"titel":1}', '']) {
      expectProblem(await create({}, body), 'unauthenticated')
    }
  })
})

describe('5. Obtaining a token', () => {
  it('[5.4] 201: a token contains its organization and is shown once', async () => {
    const input = { name: deployment.unique(), scopes: ['folders:read'] }
    const created = await deployment.mine.post<tokens.NewToken>('tokens/', input)
    expect(created.status).toBe(201)
    const { token, ...readable } = created.body
    expect(token).toMatch(new RegExp(`^rlk_${deployment.mine.organizationId}_[0-9A-Za-z]{28,}$`))
    expect(readable).toMatchObject({ ...input, expires_at: null, revoked_at: null })
    const read = await deployment.mine.get(`tokens/${created.body.id}/`)
    expect(read).toMatchObject({ status: 200, body: { id: created.body.id } })
    expect(read.text).not.toContain(token.slice(-20))
    await deployment.mine.delete(`tokens/${created.body.id}/`)
  })

  it('[5.4, 7.10] 401: rejects a revoked token', async () => {
    const caller = await deployment.newToken(['folders:read'])
    expect(await caller.get(FOLDERS)).toMatchObject({ status: 200 })
    const { body } = await caller.get<tokens.Token>('tokens/current/')
    expect(await deployment.mine.delete(`tokens/${body.id}/`)).toMatchObject({ status: 204 })
    // Revocation is immediate on the same instance and takes up to two seconds on the others.
    const status = async () => (await caller.get(FOLDERS)).status
    if (isExternal) await expect.poll(status).toBe(401)
    const rejected = await caller.get(FOLDERS)
    expectProblem(rejected, 'unauthenticated')
    expect(rejected.headers['www-authenticate']).toBe('token')
  })

  it('[5.4, 7.10] 401: rejects an expired token', async () => {
    const expiry = Date.now() + 8000
    const expires_at = new Date(expiry).toISOString()
    const caller = await deployment.newToken(['folders:read'], { expires_at })
    await sleep(expiry - Date.now())
    await expect.poll(async () => (await caller.get(FOLDERS)).status).toBe(401)
    const rejected = await caller.get(FOLDERS)
    expectProblem(rejected, 'unauthenticated')
    expect(rejected.headers['www-authenticate']).toBe('token')
  })

  // This test needs synchronized clocks, so it runs only against our own deployment.
  it.skipIf(isExternal)('[5.4] 401: rejects an expired token that was used just before it expired', async () => {
    const expiry = Date.now() + 8000
    const expires_at = new Date(expiry).toISOString()
    const caller = await deployment.newToken(['folders:read'], { expires_at })
    await sleep(expiry - 500 - Date.now())
    const used = await caller.get(FOLDERS)
    // If this process was suspended for long, the token may have expired before the request.
    if (Date.now() < expiry) expect(used).toMatchObject({ status: 200 })
    await sleep(expiry + 200 - Date.now())
    expectProblem(await caller.get(FOLDERS), 'unauthenticated')
  })
})

describe('5. Scopes', () => {
  it('[5.4, 7.10] 403: the response names the missing scope, and the request has no effect', async () => {
    const title = deployment.unique()
    const reader = await deployment.newToken(['folders:read'])
    expect(await reader.get(FOLDERS)).toMatchObject({ status: 200 })
    const rejected = expectProblem(await reader.post(FOLDERS, { title }), 'insufficient_scope')
    expect(rejected.detail).toContain('folders:create')
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 0 })
  })

  it('[5.4, 7.10] 403: a write scope does not include the read scope', async () => {
    const writer = await deployment.newToken(['folders:write'])
    expect(await writer.post(FOLDERS, { title: deployment.unique() })).toMatchObject({
      status: 201,
    })
    const rejected = expectProblem(await writer.get(FOLDERS), 'insufficient_scope')
    expect(rejected.detail).toContain('folders:read')
  })

  it('[5.4] 200, 201: the scope * allows everything', async () => {
    const caller = await deployment.newToken(['*'])
    expect(await caller.get(FOLDERS)).toMatchObject({ status: 200 })
    expect(await caller.post(FOLDERS, { title: deployment.unique() })).toMatchObject({
      status: 201,
    })
  })

  it('[5.4] 403: a token cannot create a token with more scopes', async () => {
    const issuer = await deployment.newToken(['tokens:write', 'folders:read'])
    const input = { name: deployment.unique(), scopes: ['folders:read', 'folders:write'] }
    const rejected = expectProblem(await issuer.post('tokens/', input), 'insufficient_scope')
    expect(rejected.detail).toContain('folders:write')
  })

  it('[5.4] 403: the scope is checked before the body', async () => {
    const reader = await deployment.newToken(['folders:read'])
    expectProblem(await reader.post(FOLDERS, '{'), 'insufficient_scope')
  })

  it('[5.4] 404: another organization is not found, whatever the scopes', async () => {
    const outsider = (await deployment.newToken(['tokens:read'])).at(deployment.other.organizationId)
    const missing = await outsider.at('zz9zz9zz9zz9').get(FOLDERS)
    const foreign = await outsider.get(FOLDERS)
    expectProblem(foreign, 'organization_not_found')
    expect(withoutRequestId(foreign)).toEqual(withoutRequestId(missing))
  })
})
