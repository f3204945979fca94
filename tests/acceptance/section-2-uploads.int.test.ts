import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { newFolder } from './folders.ts'
import { newSession, readAsset, readSession, timestampForm, uuidForm } from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (more: object = {}, title = deployment.unique()) => newSession(deployment.mine, title, more)

describe('2. Asset', () => {
  it('[2.4, 2.7] 201: an asset has a unique UUID and the type video', async () => {
    const assets = [(await create()).asset, (await create()).asset]
    for (const { id, type } of assets) {
      expect(id).toMatch(uuidForm)
      expect(type).toBe('video')
    }
    expect(assets[0]?.id).not.toBe(assets[1]?.id)
  })

  it('[2.5] 201: an asset has the given title', async () => {
    const title = `${deployment.unique()} Größe 講義 🎬 "1" \\ <b>`
    expect((await create({}, title)).asset.title).toBe(title)
  })

  it('[2.6] 201: bytes is null in a new asset', async () => {
    expect((await create()).asset.bytes).toBeNull()
  })

  it('[2.8] 201: parent_id is the given folder, or null without one', async () => {
    const { uuid } = await newFolder(deployment.mine, deployment.unique())
    expect((await create({ folder: uuid })).asset.parent_id).toBe(uuid)
    expect((await create()).asset.parent_id).toBeNull()
    expect((await create({ folder: null })).asset.parent_id).toBeNull()
  })

  it('[2.9] 201: the video of an asset has a status', async () => {
    expect((await create()).asset.video.status).toBe('Not Started')
  })

  it('[2.10] 201: a new asset has all fields of the contract', async () => {
    const { asset } = await create({ resolutions: ['1080p', '240p'] })
    // A newer deployment may have more fields.
    expect(asset).toMatchObject({
      id: asset.id,
      title: asset.title,
      bytes: null,
      type: 'video',
      parent_id: null,
      video: {
        status: 'Not Started',
        progress: 0,
        duration: null,
        width: null,
        height: null,
        resolutions: ['1080p', '240p'],
        renditions: [],
        // An existing organization may have another default protection.
        content_protection_type: isExternal ? expect.any(String) : 'disable',
        generate_subtitle: false,
        playback_url: null,
        dash_url: null,
        thumbnails: [],
        cover_thumbnail_url: null,
        tracks: [],
        error: null,
      },
      created_at: expect.stringMatching(timestampForm),
      updated_at: asset.created_at,
    })
  })

  it('[2.10] 200: reading a new asset returns the same fields as its creation', async () => {
    const opened = await create()
    expect(await readAsset(deployment.mine, opened)).toEqual(opened.asset)
  })
})

describe('2. Upload session', () => {
  it('[2.11, 2.12, 2.13, 2.14] 201: an upload session has exactly uuid, max_file_size_bytes, expires_at and status', async () => {
    const { upload_session: session } = await create()
    expect(session).toEqual({
      uuid: expect.stringMatching(uuidForm),
      max_file_size_bytes: expect.any(Number),
      expires_at: expect.stringMatching(timestampForm),
      status: 'Created',
    })
    expect(session.max_file_size_bytes).toSatisfy(Number.isSafeInteger)
    expect(session.max_file_size_bytes).toBeGreaterThan(0)
  })

  it('[2.11] 201: every session has its own uuid, different from the ID of its asset', async () => {
    const [one, two] = [await create(), await create()]
    const ids = [one, two].flatMap(({ asset, upload_session }) => [asset.id, upload_session.uuid])
    expect(new Set(ids).size).toBe(4)
  })

  it('[2.11] 200: a session can be read by its uuid, and contains the ID of its asset', async () => {
    const opened = await create()
    expect(await readSession(deployment.mine, opened)).toEqual({
      ...opened.upload_session,
      asset_id: opened.asset.id,
      created_at: expect.stringMatching(timestampForm),
      ended_at: null,
      error: null,
    })
  })
})

describe('2. Client payload', () => {
  it('[2.15, 2.16, 2.24] 201: the client payload has exactly seven fields, all strings', async () => {
    const { client_payload: payload } = await create()
    expect(Object.keys(payload)).toEqual([
      'upload_link',
      'key',
      'x-amz-algorithm',
      'x-amz-credential',
      'x-amz-date',
      'policy',
      'x-amz-signature',
    ])
    for (const value of Object.values(payload)) {
      expect(value).toBeTypeOf('string')
      expect(value).not.toBe('')
    }
  })

  it('[2.17] 201: upload_link is an absolute URL outside of the service', async () => {
    const { client_payload: payload } = await create()
    expect(URL.parse(payload.upload_link)?.protocol).toMatch(/^https?:$/)
    expect(payload.upload_link).not.toContain(`${deployment.baseUrl}/`)
  })

  it('[2.18] 201: key starts with the organization and is unique per session', async () => {
    const [one, two] = [(await create()).client_payload.key, (await create()).client_payload.key]
    expect(one).toMatch(new RegExp(`^${deployment.mine.organizationId}/`))
    expect(one).not.toBe(two)
  })

  it('[2.19, 2.20, 2.21] 201: algorithm, credential scope and date have the form of AWS Signature Version 4', async () => {
    const { client_payload: payload } = await create()
    expect(payload['x-amz-algorithm']).toBe('AWS4-HMAC-SHA256')
    expect(payload['x-amz-date']).toMatch(/^\d{8}T\d{6}Z$/)
    const day = payload['x-amz-date'].slice(0, 8)
    expect(payload['x-amz-credential']).toMatch(new RegExp(`^[^/]+/${day}/[^/]+/s3/aws4_request$`))
  })

  it('[2.22, 2.23] 201: policy is Base64-encoded JSON, the signature has 256 bits in hexadecimal', async () => {
    const { client_payload: payload } = await create()
    const decoded = Buffer.from(payload.policy, 'base64')
    expect(decoded.toString('base64')).toBe(payload.policy)
    expect(JSON.parse(decoded.toString())).toBeTypeOf('object')
    expect(payload['x-amz-signature']).toMatch(/^[0-9a-f]{64}$/)
  })
})
