/** GET and PATCH organization/: the settings, and what they change. */
import type { organization as contract, Problem, uploadSessions } from '@reelkeep/contract'
import { type Caller, openOwner, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { changeSettings } from './organizations.ts'

const PATH = 'organization/'
const SESSIONS = 'assets/upload-sessions/'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const read = () => caller.get<contract.Organization>(PATH)
const update = (change: object, headers = {}) => caller.patch<contract.Organization & Problem>(PATH, change, headers)
const create = (more: object = {}) =>
  caller.post<uploadSessions.NewUploadSession & Problem>(SESSIONS, { title: 'A video', ...more })

describe('GET organization/', () => {
  it('200: returns the defaults of a new organization', async () => {
    const { status, body } = await read()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: caller.organizationId,
      default_content_protection_type: 'disable',
      default_resolutions: null,
      ...{ trash_days: 30, abandoned_days: 7, versions_kept: 2, allowed_embed_origins: [] },
    })
  })
})

describe('PATCH organization/: 200', () => {
  it('changes any subset and keeps the rest', async () => {
    const { body: before } = await read()
    const change = { name: ' Acme ', trash_days: 0, versions_kept: 5, allowed_embed_origins: ['https://A.example'] }
    const { status, body } = await update(change)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, ...change, name: 'Acme', allowed_embed_origins: ['https://a.example'] })
    expect((await read()).body).toEqual(body)
  })

  it('does not change other organizations', async () => {
    const other = await testApi.newOrganization()
    const before = (await other.get(PATH)).body
    await update({ trash_days: 1 })
    expect((await other.get(PATH)).body).toEqual(before)
  })

  it('keeps both of two concurrent changes of different settings', async () => {
    await Promise.all([update({ trash_days: 1 }), update({ abandoned_days: 1 }), update({ versions_kept: 1 })])
    expect((await read()).body).toMatchObject({ trash_days: 1, abandoned_days: 1, versions_kept: 1 })
  })
})

describe('PATCH organization/: errors', () => {
  it.each([
    ['trash_days', 366],
    ['trash_days', -1],
    ['abandoned_days', 366],
    ['versions_kept', 0],
    ['versions_kept', 101],
    ['default_resolutions', []],
    ['default_resolutions[0]', ['4k']],
    ['default_content_protection_type', 'none'],
    ['allowed_embed_origins[1]', ['https://www.example.com', 'https://example.com/path']],
    ['allowed_embed_origins', Array.from({ length: 51 }, (_, index) => `https://${index}.example`)],
  ])('400: refuses an invalid %s', async (field, value) => {
    const { status, body } = await update({ [field.replace(/\[.*/, '')]: value })
    expect([status, body.code, body.errors[0]?.field]).toEqual([400, 'invalid_request', field])
  })

  it('400: refuses an empty change and a setting of the operator', async () => {
    expect((await update({})).status).toBe(400)
    expect((await update({ webhook_networks: ['10.0.0.0/8:80'] })).body.code).toBe('unknown_field')
  })

  it('403: needs the scope organization:write, and organization:read to read', async () => {
    const scopes = ['organization:read', 'assets:write']
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'Reader', scopes })
    const reader = caller.withToken(body.token)
    expect((await reader.get(PATH)).status).toBe(200)
    expect((await reader.patch<Problem>(PATH, { trash_days: 1 })).body.code).toBe('insufficient_scope')
  })

  it('412: refuses a change of settings that have changed since they were read', async () => {
    const tag = { 'If-Match': String((await read()).headers['etag']) }
    const first = await update({ trash_days: 1 }, tag)
    expect([first.status, (await update({ trash_days: 2 }, tag)).body.code]).toEqual([200, 'changed_meanwhile'])
    expect((await read()).body.trash_days).toBe(1)
    expect((await update({ trash_days: 2 }, { 'If-Match': String(first.headers['etag']) })).status).toBe(200)
  })
})

describe('the settings', () => {
  it('are the defaults of upload sessions that do not choose', async () => {
    await update({ default_resolutions: ['720p', '240p'], default_content_protection_type: 'aes' })
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body.asset.video).toMatchObject({ resolutions: ['720p', '240p'], content_protection_type: 'aes' })
    const chosen = await create({ resolutions: ['360p'], content_protection_type: 'disable' })
    expect(chosen.body.asset.video).toMatchObject({ resolutions: ['360p'], content_protection_type: 'disable' })
  })

  it('without default resolutions, every upload session must choose, and the error lists all missing fields', async () => {
    const { status, body } = await caller.post<Problem>(SESSIONS, {})
    expect([status, body.errors.map(({ field }) => field).sort()]).toEqual([400, ['resolutions', 'title']])
    await update({ default_resolutions: ['240p'] })
    await update({ default_resolutions: null })
    expect((await create()).body.errors).toMatchObject([{ field: 'resolutions', detail: '`resolutions` is required.' }])
  })

  it('decide how long deleted assets stay in the trash', async () => {
    const { asset } = (await create({ resolutions: ['240p'] })).body
    await update({ trash_days: 0 })
    await caller.delete(`assets/${asset.id}/`)
    expect((await caller.get<{ results: unknown[] }>('trash/')).body.results).toEqual([])
  })
})

it('an instance that has not seen the removal of the default resolutions refuses the session as well', async () => {
  await update({ default_resolutions: ['240p'] })
  expect((await create()).status).toBe(201)
  // The token of the first request is cached for two seconds, with the information that there is a default.
  const db = owner.forOrganization(caller.organizationId as OrganizationId)
  await changeSettings(db, { change: { defaultResolutions: null }, hasDrm: true })
  const { status, body } = await create()
  expect([status, body.code, body.errors[0]?.field]).toEqual([400, 'invalid_request', 'resolutions'])
})
