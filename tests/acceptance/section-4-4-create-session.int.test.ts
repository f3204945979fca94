import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { FOLDERS, newFolder } from './folders.ts'
import { expectAnyProblem, expectProblem, fieldsOf } from './problems.ts'
import { type Opened, readAsset, SESSIONS } from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (body: unknown, caller = deployment.mine) => caller.post<Opened>(SESSIONS, body)

/** The fields that a new upload session requires, plus the given ones. */
const input = (more: object = {}) => ({
  title: deployment.unique(),
  resolutions: ['360p', '720p'],
  ...more,
})

const videoOf = async (more: object) => (await create(input(more))).body.asset.video

describe('4.4 Create an upload session', () => {
  it('[4.4.1, 4.4.9, 4.4.10, 7.10] 201: returns exactly asset, upload_session and client_payload', async () => {
    const { status, headers, body } = await create(input())
    expect(status).toBe(201)
    expect(headers['content-type']).toMatch(/^application\/json\b/)
    expect(Object.keys(body)).toEqual(['asset', 'upload_session', 'client_payload'])
  })

  it('[4.4.1] 201: accepts the path without a trailing slash', async () => {
    const response = await deployment.mine.post('assets/upload-sessions', input())
    expect(response).toMatchObject({ status: 201 })
  })

  it('[4.4.1] 201: twenty concurrent requests create twenty sessions and assets', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(input())))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(responses.map(({ body }) => body.upload_session.uuid)).size).toBe(20)
    expect(new Set(responses.map(({ body }) => body.asset.id)).size).toBe(20)
  })

  it('[4.4.2] 400: rejects an unknown field and names it', async () => {
    for (const name of ['foldr', 'Title', 'contentProtectionType', 'status']) {
      const problem = expectProblem(await create(input({ [name]: 'x' })), 'unknown_field')
      expect(fieldsOf(problem)).toEqual([name])
    }
  })

  it('[4.4.2, 7.10] 400: reports all invalid fields at once', async () => {
    const body = { title: 7, resolutions: [], content_protection_type: 'none', folder: 1, foldr: 2 }
    const response = await create({ ...body, generate_subtitle: 'yes' })
    expect(response.status).toBe(400)
    const named = [...Object.keys(body), 'generate_subtitle'].sort()
    expect(fieldsOf(expectAnyProblem(response))).toEqual(named)
  })

  it.for([
    ['no body', undefined],
    ['an empty object', {}],
  ] as const)('[4.4.3, 4.4.4] 400: names title and resolutions as missing in a request with %s', async ([, body]) => {
    const problem = expectProblem(await create(body), 'invalid_request')
    expect(fieldsOf(problem)).toEqual(['resolutions', 'title'])
  })

  it.for([
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"Lecture"'],
  ])('[4.4.2, 7.10] 400: rejects a body that is %s', async ([, body]) => {
    expectProblem(await create(body), 'invalid_request')
  })
})

describe('4.4 Authorization', () => {
  it('[4.4.1, 7.10] 201, 403: creating a session requires the scope uploads:write, which assets:write includes', async () => {
    expect(await create(input(), await deployment.newToken(['assets:write']))).toMatchObject({
      status: 201,
    })
    const weak = await deployment.newToken(['assets:read', 'folders:write', 'tokens:read'])
    const problem = expectProblem(await create(input(), weak), 'insufficient_scope')
    expect(problem.detail).toContain('uploads:write')
  })

  it('[4.4.1, 7.10] 200, 403: reading a session or its asset requires the scope assets:read', async () => {
    const { body } = await create(input())
    const paths = [`${SESSIONS}${body.upload_session.uuid}/`, `assets/${body.asset.id}/`]
    const reader = await deployment.newToken(['assets:read'])
    const writer = await deployment.newToken(['assets:write'])
    for (const path of paths) {
      expect(await reader.get(path)).toMatchObject({ status: 200 })
      const problem = expectProblem(await writer.get(path), 'insufficient_scope')
      expect(problem.detail).toContain('assets:read')
    }
  })

  it('[4.4.1, 7.10] 401: rejects a request without a token', async () => {
    const path = `/api/v1/${deployment.mine.organizationId}/${SESSIONS}`
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(input())
    const response = await deployment.send({ method: 'POST', path, headers, body })
    expectProblem(response, 'unauthenticated')
  })

  it('[4.4.1, 7.10] 404: a client can neither create, read nor change sessions of another organization', async () => {
    const foreign = deployment.mine.at(deployment.other.organizationId)
    expectProblem(await create(input(), foreign), 'organization_not_found')
    const { body } = await create(input())
    const path = `${SESSIONS}${body.upload_session.uuid}/`
    expectProblem(await deployment.other.get(path), 'upload_session_not_found')
    expectProblem(await deployment.other.delete(path), 'upload_session_not_found')
    for (const action of ['renew/', 'complete/']) {
      expectProblem(await deployment.other.post(path + action), 'upload_session_not_found')
    }
    expectProblem(await deployment.other.get(`assets/${body.asset.id}/`), 'asset_not_found')
    expect(await deployment.mine.get(path)).toMatchObject({ status: 200 })
  })
})

describe('4.4 title', () => {
  it('[4.4.3, 8.4] 201: a title is trimmed and has 1 to 255 characters', async () => {
    const mark = deployment.unique()
    for (const [given, title] of [
      [` \t${mark}  in two words\n`, `${mark}  in two words`],
      ['中', '中'],
      [`  ${mark.padEnd(255, 'ü')}  `, mark.padEnd(255, 'ü')],
    ]) {
      const { status, body } = await create(input({ title: given }))
      expect({ status, title: body.asset?.title }).toEqual({ status: 201, title })
    }
  })

  it('[4.4.3] 200: the asset is found by its full title and by a part of it', async () => {
    const mark = deployment.unique()
    const { body } = await create(input({ title: `${mark} Größe` }))
    await create(input())
    for (const q of [mark, `${mark} größe`, `${mark} GRO`.toLowerCase()]) {
      const list = await deployment.mine.get(`assets/?q=${encodeURIComponent(q)}`)
      expect(list).toMatchObject({ status: 200, body: { count: 1, results: [body.asset] } })
    }
  })

  it.for([
    ['is missing', 'invalid_request', undefined],
    ['is null', 'invalid_request', null],
    ['is a number', 'invalid_request', 7],
    ['is an array', 'invalid_request', ['Lecture']],
    ['is empty', 'invalid_title', ''],
    ['is blank', 'invalid_title', ' \t\u00a0'],
    ['has 256 characters', 'invalid_title', 'a'.repeat(256)],
    ['is far too long', 'invalid_title', 'a'.repeat(5000)],
    ['contains a control character', 'invalid_title', 'a\u0000b'],
  ] as const)('[4.4.3, 7.10] 400: rejects a title that %s', async ([, code, title]) => {
    const problem = expectProblem(await create(input({ title })), code)
    expect(fieldsOf(problem)).toEqual(['title'])
  })
})

describe('4.4 resolutions', () => {
  const known = ['240p', '360p', '480p', '540p', '720p', '1080p']

  it('[4.4.4] 201: accepts each of the six resolutions, and all of them in any order', async () => {
    for (const resolutions of [...known.map((name) => [name]), known, known.toReversed()]) {
      expect((await videoOf({ resolutions })).resolutions).toEqual(resolutions)
    }
  })

  it.for([
    ['are missing', undefined],
    ['are null', null],
    ['are not an array', '720p'],
    ['are empty', []],
    ['contain a duplicate', ['720p', '360p', '720p']],
    ['are more than exist', [...known, '240p']],
  ] as const)('[4.4.4, 7.10] 400: rejects resolutions that %s', async ([, resolutions]) => {
    const problem = expectProblem(await create(input({ resolutions })), 'invalid_request')
    expect(fieldsOf(problem)).toContain('resolutions')
  })

  it.for(['144p', '720P', '720', '', '2160p', ' 720p', 720, null, ['720p']])(
    '[4.4.4, 7.10] 400: rejects the resolution %s',
    async (unknown) => {
      const response = await create(input({ resolutions: ['360p', unknown] }))
      expect(fieldsOf(expectProblem(response, 'invalid_request'))).toEqual(['resolutions[1]'])
    },
  )
})

describe('4.4 content_protection_type', () => {
  it('[4.4.5] 201: accepts drm, aes and disable', async () => {
    for (const type of ['drm', 'aes', 'disable']) {
      expect((await videoOf({ content_protection_type: type })).content_protection_type).toBe(type)
    }
  })

  it('[4.4.5] 201: accepts disabled as an alias of disable', async () => {
    const video = await videoOf({ content_protection_type: 'disabled' })
    expect(video.content_protection_type).toBe('disable')
  })

  it.skipIf(isExternal)('[4.4.8] 201: the default protection of a new organization is disable', async () => {
    expect((await videoOf({})).content_protection_type).toBe('disable')
  })

  it.for(['DRM', 'none', '', null, false, 1, ['drm']])('[4.4.5, 7.10] 400: rejects %s', async (type) => {
    const response = await create(input({ content_protection_type: type }))
    const problem = expectProblem(response, 'invalid_request')
    expect(fieldsOf(problem)).toEqual(['content_protection_type'])
  })
})

describe('4.4 folder', () => {
  it('[4.4.6] 201: the asset is created in the given folder', async () => {
    const outer = await newFolder(deployment.mine, deployment.unique())
    const inner = await newFolder(deployment.mine, deployment.unique(), outer.uuid)
    const { body } = await create(input({ folder: inner.uuid }))
    expect(body.asset.parent_id).toBe(inner.uuid)
    expect(await readAsset(deployment.mine, body)).toMatchObject({ parent_id: inner.uuid })
  })

  it('[4.4.6] 201: without a folder the asset is created at the root', async () => {
    expect((await create(input())).body.asset.parent_id).toBeNull()
    expect((await create(input({ folder: null }))).body.asset.parent_id).toBeNull()
  })

  it('[4.4.6, 7.10] 400: rejects a folder that does not exist', async () => {
    const deleted = await newFolder(deployment.mine, deployment.unique())
    await deployment.mine.delete(`${FOLDERS}${deleted.uuid}/`)
    for (const folder of ['11111111111', 'root', 'nonsense', deleted.uuid, 'ÿ', ' ', '0OIl']) {
      const problem = expectProblem(await create(input({ folder })), 'target_folder_not_found')
      expect(fieldsOf(problem)).toEqual(['folder'])
    }
  })

  it('[4.4.6, 7.10] 400: the response for a folder of another organization is the same as for a missing one', async () => {
    const { uuid } = await newFolder(deployment.other, deployment.unique())
    const refusalFor = async (folder: string) => {
      const problem = expectProblem(await create(input({ folder })), 'target_folder_not_found')
      const { request_id: _, ...rest } = problem
      return JSON.stringify(rest).replaceAll(folder, '(the folder)')
    }
    expect(await refusalFor(uuid)).toBe(await refusalFor('11111111111'))
  })

  it.for([7, {}, ['11111111111'], false, '', 'a'.repeat(5000)])('[4.4.6, 7.10] 400: rejects %j', async (folder) => {
    const problem = expectProblem(await create(input({ folder })), 'invalid_request')
    expect(fieldsOf(problem)).toEqual(['folder'])
  })
})

describe('4.4 generate_subtitle', () => {
  it('[4.4.7] 201: accepts true and false; the default is false', async () => {
    expect((await videoOf({ generate_subtitle: true })).generate_subtitle).toBe(true)
    expect((await videoOf({ generate_subtitle: false })).generate_subtitle).toBe(false)
    expect((await videoOf({})).generate_subtitle).toBe(false)
  })

  it.for(['true', '', 0, 1, null, []])('[4.4.7, 7.10] 400: rejects %j', async (value) => {
    const response = await create(input({ generate_subtitle: value }))
    expect(fieldsOf(expectProblem(response, 'invalid_request'))).toEqual(['generate_subtitle'])
  })
})
