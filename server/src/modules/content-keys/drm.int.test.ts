/** Keys for common encryption, from the master key and from a SPEKE provider. */
import { randomBytes } from 'node:crypto'
import { type Caller, openSession, SpekeProvider, type SpekeResponse, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import {
  clearKey,
  clearKeys,
  type Drm,
  encryptionKeys,
  findLicenseServers,
  findProtections,
  speke,
} from './content-keys.ts'

const testApi = await opened(TestApi.open())
const { DATABASE_WORKER_URL: url } = stackEnv()
const worker = await opened(
  Promise.resolve(new Database({ url, connectionsMax: 8, statementTimeoutSeconds: 10 }, () => {})),
)
const { KEY_ENCRYPTION_KEYS: ring } = testApi.context.config
const { signal } = new AbortController()

let caller: Caller
let db: OrganizationDb
let asset: { id: AssetId }
let provider: SpekeProvider
beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = worker.forOrganization(caller.organizationId as OrganizationId)
  asset = { id: (await openSession(caller)).asset.id as AssetId }
  provider = await SpekeProvider.open()
  return () => provider[Symbol.asyncDispose]()
})

const credentials = `${SpekeProvider.username}:${SpekeProvider.password}`
const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
const ours: Drm = { provider: clearKey, scheme: 'cbcs' }
const theirs = (more: Partial<Parameters<typeof speke>[0]> = {}): Drm => ({
  scheme: 'cbcs',
  provider: speke({
    url: provider.url,
    headers: { authorization },
    systems: ['widevine', 'playready', 'fairplay'],
    timeoutSeconds: 5,
    ...more,
  }),
})
const keysBy = (drm: Drm, by = signal) => encryptionKeys({ keyRing: ring, drm }, db, asset, by)
const failing = (reason: string) => ({ name: 'KeyProviderFailed', reason })
const textOf = ({ keys }: Awaited<ReturnType<typeof keysBy>>) =>
  keys.map(({ label, kid, key, iv }) => [label, ...[kid, key, iv].map((one) => one.toString('hex'))])

describe('ClearKey', () => {
  it('returns the same keys for every part, one per kind of track', async () => {
    const [first, ...others] = await Promise.all([keysBy(ours), keysBy(ours), keysBy(ours)])
    for (const other of others) expect(textOf(other)).toEqual(textOf(first))
    expect(first.keys.map(({ label }) => label)).toEqual(['video', 'audio'])
    expect(new Set(textOf(first).flat()).size).toBe(8)
    expect((await clearKeys(ring, db, asset)).map(({ kid }) => kid)).toEqual(first.keys.map(({ kid }) => kid))
  })

  it('stays the provider of a video when the configuration changes', async () => {
    const first = await keysBy(ours)
    for (const drm of [theirs(), { provider: undefined, scheme: 'cenc' } as const]) {
      const again = await keysBy(drm)
      expect(textOf(again)).toEqual(textOf(first))
      expect(again.scheme).toBe('cbcs')
    }
    expect(provider.requests).toEqual([])
  })

  it('puts the key URL of each track into the manifests', async () => {
    expect(await findProtections(ring, db, asset)).toBeUndefined()
    const { keys } = await keysBy(ours)
    const found = await findProtections(ring, db, asset)
    const kid = keys[1]?.kid.toString('hex')
    expect(found?.audio).toMatchObject({ scheme: 'cbcs', kid, hlsSessionKeys: [] })
    expect(found?.audio.hlsKeys.join()).toContain(`URI="keys/${kid}.bin"`)
  })
})

describe('SPEKE', () => {
  it('receives a valid request and supplies the keys', async () => {
    const { keys, pssh } = await keysBy(theirs())
    const [request] = provider.requests
    expect(request?.headers).toMatchObject({
      'x-speke-version': '2.0',
      'content-type': 'application/xml',
      authorization,
    })
    expect(request?.body).toContain(`contentId="${asset.id}" version="2.3"`)
    for (const { label, kid, key, iv } of keys) {
      const uuid = kid.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
      expect(key).toEqual(provider.keyOf(uuid))
      expect(request?.body).toContain(
        `kid="${uuid}" commonEncryptionScheme="cbcs" explicitIV="${iv.toString('base64')}"`,
      )
      expect(request?.body).toContain(`kid="${uuid}" intendedTrackType="${label.toUpperCase()}"`)
    }
    // One PSSH box for Widevine and one for PlayReady, for each of the two keys.
    expect(pssh.map((box) => box.toString('latin1', 4, 8))).toEqual(Array(4).fill('pssh'))
  })

  it('supplies the manifest data, and the service issues no license', async () => {
    await keysBy(theirs())
    const found = await findProtections(ring, db, asset)
    expect(found?.video.hlsKeys.map((line) => /KEYFORMAT="([^"]+)"/.exec(line)?.[1])).toEqual([
      'urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
      'com.microsoft.playready',
      'com.apple.streamingkeydelivery',
    ])
    expect(found?.video.hlsSessionKeys).toHaveLength(3)
    expect(found?.video.dash.map(({ systemId }) => systemId.slice(0, 8))).toEqual(['edef8ba9', '9a04f079'])
    expect(found?.video.dash[1]?.elements).toContain('<pro xmlns="urn:microsoft:playready">')
    expect(JSON.stringify(found)).not.toContain('keys/')
    expect(await clearKeys(ring, db, asset)).toEqual([])
  })

  it('receives no IV and no FairPlay system in a request for cenc', async () => {
    await keysBy({ ...theirs(), scheme: 'cenc' })
    expect(provider.requests[0]?.body).not.toMatch(/explicitIV|94ce86fb/)
  })

  it('fails if it returns different keys the second time', async () => {
    const first = await keysBy(theirs())
    expect(textOf(await keysBy(theirs()))).toEqual(textOf(first))
    provider.seed = randomBytes(32)
    await expect(keysBy(theirs())).rejects.toMatchObject(failing('other-keys'))
  })

  it('fails with the reason missing if it is no longer configured', async () => {
    await keysBy(theirs())
    for (const drm of [ours, { provider: undefined, scheme: 'cbcs' } as const]) {
      await expect(keysBy(drm)).rejects.toMatchObject(failing('missing'))
    }
  })

  it('may return different PSSH boxes later, but the first ones stay in use', async () => {
    const first = await keysBy(theirs())
    provider.change = (response) => ({
      ...response,
      body: response.body.replace(/<cpix:PSSH>.*?<\/cpix:PSSH>/g, '<cpix:PSSH/>'),
    })
    const again = await keysBy(theirs())
    expect(again.pssh).toEqual(first.pssh)
  })
})

it('findLicenseServers returns the license URLs of a video', async () => {
  const contracted = { 'com.widevine.alpha': 'https://wv.example' }
  const servers = () => findLicenseServers(contracted, db, asset)
  expect(await servers()).toEqual({})
  await keysBy(ours)
  expect(await servers()).toEqual({ 'org.w3.clearkey': 'license' })
  const { asset: other } = await openSession(caller)
  asset = { id: other.id as AssetId }
  await keysBy(theirs())
  expect(await servers()).toEqual(contracted)
})

describe('a SPEKE provider', () => {
  const version = (response: SpekeResponse) => ({
    ...response,
    headers: { ...response.headers, 'X-Speke-Version': '1.0' },
  })
  const replacing = (from: RegExp, to: string) => (response: SpekeResponse) => ({
    ...response,
    body: response.body.replace(from, to),
  })
  const status = (code: number) => (response: SpekeResponse) => ({ ...response, status: code })
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  it.each<[string, string, (response: SpekeResponse) => SpekeResponse | undefined]>([
    ['that is busy', 'unavailable', status(503)],
    ['that limits requests', 'unavailable', status(429)],
    ['that rejects the request', 'refused', status(422)],
    ['that rejects our credentials', 'refused', status(401)],
    [
      'that redirects',
      'unavailable',
      (response) => ({ ...response, status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
    ],
    ['of another version', 'unreadable', version],
    ['that returns HTML', 'unreadable', (response) => ({ ...response, body: '<html><p>Sorry</html>' })],
    ['with an empty response', 'unreadable', (response) => ({ ...response, body: '' })],
    ['with an endless response', 'unreadable', replacing(/$/, ' '.repeat(2 ** 20))],
    ['with a response for another video', 'unreadable', replacing(/contentId="[^"]+"/, 'contentId="x"')],
    ['that omits a key', 'unreadable', replacing(/<cpix:ContentKey .*?<\/cpix:ContentKey>/s, '')],
    ['that returns a key twice', 'unreadable', replacing(/(<cpix:ContentKey .*?<\/cpix:ContentKey>)/s, '$1$1')],
    ['that returns half a key', 'unreadable', replacing(/PlainValue>[^<]{8}/, 'PlainValue>')],
    ['that encrypts its keys', 'unreadable', replacing(/PlainValue>/g, 'EncryptedValue>')],
    ['that changes the scheme', 'unreadable', replacing(/"cbcs"/, '"cenc"')],
    ['that declares entities', 'unreadable', replacing(/\?>/, '?><!DOCTYPE a [<!ENTITY b "c">]>')],
    ['that uses an entity', 'unreadable', replacing(/<pskc:PlainValue>/, '<pskc:PlainValue>&b;')],
    ['with an invalid PSSH box', 'unreadable', replacing(/<cpix:PSSH>[^<]+/, '<cpix:PSSH>AAAA')],
    [
      'with invalid ContentProtectionData',
      'unreadable',
      replacing(/<cpix:ContentProtectionData>[^<]+/, `<cpix:ContentProtectionData>${base64('<a><b></a>')}`),
    ],
    [
      'with an invalid playlist line',
      'unreadable',
      replacing(/playlist="media">[^<]+/, `playlist="media">${base64('#EXTINF:4,\nhttp://elsewhere/')}`),
    ],
  ])('%s fails with the reason %s', async (_, reason, change) => {
    provider.change = change
    await expect(keysBy(theirs())).rejects.toMatchObject(failing(reason))
    // The failed request for keys has stored nothing, so the next request succeeds.
    provider.change = (response) => response
    await expect(keysBy(theirs())).resolves.toMatchObject({ scheme: 'cbcs' })
  })

  it('fails after a timeout if it does not respond', async () => {
    provider.change = () => undefined
    await expect(keysBy(theirs({ timeoutSeconds: 1 }))).rejects.toMatchObject(failing('unavailable'))
  })

  it('fails with the reason unavailable if it is unreachable', async () => {
    const drm = theirs({ url: 'http://127.0.0.1:9/' })
    await expect(keysBy(drm)).rejects.toMatchObject(failing('unavailable'))
  })

  it('does not delay an attempt that was aborted', async () => {
    provider.change = () => undefined
    const stop = new AbortController()
    const keys = keysBy(theirs(), stop.signal)
    setTimeout(() => stop.abort(new Error('aborted by the test')), 100)
    await expect(keys).rejects.toThrow('aborted by the test')
  })

  it('may use other XML namespace prefixes', async () => {
    provider.change = (response) => ({
      ...response,
      body: response.body.replaceAll('cpix:', 'c:').replace('xmlns:cpix=', 'xmlns:c='),
    })
    await expect(keysBy(theirs())).resolves.toMatchObject({ scheme: 'cbcs' })
  })
})
