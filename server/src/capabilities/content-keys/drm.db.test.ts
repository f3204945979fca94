/** Keys of common encryption, from our own master key and from a provider that speaks SPEKE. */
import { randomBytes } from 'node:crypto'
import {
  type Caller,
  openSession,
  type SpekeAnswer,
  SpekeProvider,
  stackEnv,
  World,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import {
  clearKey,
  clearKeys,
  type Drm,
  encryptionKeys,
  findLicenceServers,
  findProtections,
  speke,
} from './content-keys.ts'

const world = await opened(World.open())
const { DATABASE_WORKER_URL: url } = stackEnv()
const worker = await opened(
  Promise.resolve(new Database({ url, connectionsMax: 8, statementTimeoutSeconds: 10 }, () => {})),
)
const { KEY_ENCRYPTION_KEYS: ring } = world.context.config
const { signal } = new AbortController()

let caller: Caller
let db: OrganizationDb
let asset: { id: AssetId }
let provider: SpekeProvider
beforeEach(async () => {
  caller = await world.newOrganization()
  db = worker.forOrganization(caller.organizationId as OrganizationId)
  asset = { id: (await openSession(caller)).asset.id as AssetId }
  provider = await SpekeProvider.open()
  return () => provider[Symbol.asyncDispose]()
})

const words = `${SpekeProvider.username}:${SpekeProvider.password}`
const authorization = `Basic ${Buffer.from(words).toString('base64')}`
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
  keys.map(({ label, kid, key, iv }) => [
    label,
    ...[kid, key, iv].map((one) => one.toString('hex')),
  ])

describe('ClearKey', () => {
  it('has the same keys for every part, and one for each kind of track', async () => {
    const [first, ...others] = await Promise.all([keysBy(ours), keysBy(ours), keysBy(ours)])
    for (const other of others) expect(textOf(other)).toEqual(textOf(first))
    expect(first.keys.map(({ label }) => label)).toEqual(['video', 'audio'])
    expect(new Set(textOf(first).flat()).size).toBe(8)
    expect((await clearKeys(ring, db, asset)).map(({ kid }) => kid)).toEqual(
      first.keys.map(({ kid }) => kid),
    )
  })

  it('stays with a video, whatever is set up later', async () => {
    const first = await keysBy(ours)
    for (const drm of [theirs(), { provider: undefined, scheme: 'cenc' } as const]) {
      const again = await keysBy(drm)
      expect(textOf(again)).toEqual(textOf(first))
      expect(again.scheme).toBe('cbcs')
    }
    expect(provider.requests).toEqual([])
  })

  it('tells players where the key of each track is given out', async () => {
    expect(await findProtections(ring, db, asset)).toBeUndefined()
    const { keys } = await keysBy(ours)
    const found = await findProtections(ring, db, asset)
    const kid = keys[1]?.kid.toString('hex')
    expect(found?.audio).toMatchObject({ scheme: 'cbcs', kid, hlsSessionKeys: [] })
    expect(found?.audio.hlsKeys.join()).toContain(`URI="keys/${kid}.bin"`)
  })
})

describe('SPEKE', () => {
  it('is asked as it wants to be, and its keys are used', async () => {
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
    // Of Widevine and PlayReady, for each key.
    expect(pssh.map((box) => box.toString('latin1', 4, 8))).toEqual(Array(4).fill('pssh'))
  })

  it('has its own words written into manifests, and gives no licence of ours', async () => {
    await keysBy(theirs())
    const found = await findProtections(ring, db, asset)
    expect(found?.video.hlsKeys.map((line) => /KEYFORMAT="([^"]+)"/.exec(line)?.[1])).toEqual([
      'urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
      'com.microsoft.playready',
      'com.apple.streamingkeydelivery',
    ])
    expect(found?.video.hlsSessionKeys).toHaveLength(3)
    expect(found?.video.dash.map(({ systemId }) => systemId.slice(0, 8))).toEqual([
      'edef8ba9',
      '9a04f079',
    ])
    expect(found?.video.dash[1]?.elements).toContain('<pro xmlns="urn:microsoft:playready">')
    expect(JSON.stringify(found)).not.toContain('keys/')
    expect(await clearKeys(ring, db, asset)).toEqual([])
  })

  it('of cenc, asks for no vector and not for FairPlay', async () => {
    await keysBy({ ...theirs(), scheme: 'cenc' })
    expect(provider.requests[0]?.body).not.toMatch(/explicitIV|94ce86fb/)
  })

  it('must not give other keys the second time', async () => {
    const first = await keysBy(theirs())
    expect(textOf(await keysBy(theirs()))).toEqual(textOf(first))
    provider.seed = randomBytes(32)
    await expect(keysBy(theirs())).rejects.toMatchObject(failing('other-keys'))
  })

  it('is missed when it is no longer set up', async () => {
    await keysBy(theirs())
    for (const drm of [ours, { provider: undefined, scheme: 'cbcs' } as const]) {
      await expect(keysBy(drm)).rejects.toMatchObject(failing('missing'))
    }
  })

  it('writes the same boxes into every header, though it may send others', async () => {
    const first = await keysBy(theirs())
    provider.change = (answer) => ({
      ...answer,
      body: answer.body.replace(/<cpix:PSSH>.*?<\/cpix:PSSH>/g, '<cpix:PSSH/>'),
    })
    const again = await keysBy(theirs())
    expect(again.pssh).toEqual(first.pssh)
  })
})

it('players are told where the licences of a video are', async () => {
  const contracted = { 'com.widevine.alpha': 'https://wv.example' }
  const servers = () => findLicenceServers(contracted, db, asset)
  expect(await servers()).toEqual({})
  await keysBy(ours)
  expect(await servers()).toEqual({ 'org.w3.clearkey': 'licence' })
  const { asset: other } = await openSession(caller)
  asset = { id: other.id as AssetId }
  await keysBy(theirs())
  expect(await servers()).toEqual(contracted)
})

describe('a provider', () => {
  const version = (answer: SpekeAnswer) => ({
    ...answer,
    headers: { ...answer.headers, 'X-Speke-Version': '1.0' },
  })
  const saying = (from: RegExp, to: string) => (answer: SpekeAnswer) => ({
    ...answer,
    body: answer.body.replace(from, to),
  })
  const status = (code: number) => (answer: SpekeAnswer) => ({ ...answer, status: code })
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  it.each<[string, string, (answer: SpekeAnswer) => SpekeAnswer | undefined]>([
    ['that is busy', 'unavailable', status(503)],
    ['that has had enough', 'unavailable', status(429)],
    ['that refuses', 'refused', status(422)],
    ['that does not know us', 'refused', status(401)],
    [
      'that sends us elsewhere',
      'unavailable',
      (answer) => ({ ...answer, status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
    ],
    ['of another version', 'unreadable', version],
    [
      'that answers with a page',
      'unreadable',
      (answer) => ({ ...answer, body: '<html><p>Sorry</html>' }),
    ],
    ['that answers with nothing', 'unreadable', (answer) => ({ ...answer, body: '' })],
    ['that answers without end', 'unreadable', saying(/$/, ' '.repeat(2 ** 20))],
    ['that answers for another video', 'unreadable', saying(/contentId="[^"]+"/, 'contentId="x"')],
    ['that leaves a key out', 'unreadable', saying(/<cpix:ContentKey .*?<\/cpix:ContentKey>/s, '')],
    [
      'that gives a key twice',
      'unreadable',
      saying(/(<cpix:ContentKey .*?<\/cpix:ContentKey>)/s, '$1$1'),
    ],
    ['that gives half a key', 'unreadable', saying(/PlainValue>[^<]{8}/, 'PlainValue>')],
    ['that encrypts its keys', 'unreadable', saying(/PlainValue>/g, 'EncryptedValue>')],
    ['that changes the scheme', 'unreadable', saying(/"cbcs"/, '"cenc"')],
    ['that declares entities', 'unreadable', saying(/\?>/, '?><!DOCTYPE a [<!ENTITY b "c">]>')],
    ['that uses an entity', 'unreadable', saying(/<pskc:PlainValue>/, '<pskc:PlainValue>&b;')],
    ['whose box is none', 'unreadable', saying(/<cpix:PSSH>[^<]+/, '<cpix:PSSH>AAAA')],
    [
      'whose elements are none',
      'unreadable',
      saying(
        /<cpix:ContentProtectionData>[^<]+/,
        `<cpix:ContentProtectionData>${base64('<a><b></a>')}`,
      ),
    ],
    [
      'whose line is of something else',
      'unreadable',
      saying(
        /playlist="media">[^<]+/,
        `playlist="media">${base64('#EXTINF:4,\nhttp://elsewhere/')}`,
      ),
    ],
  ])('%s gives no keys: %s', async (_, reason, change) => {
    provider.change = change
    await expect(keysBy(theirs())).rejects.toMatchObject(failing(reason))
    // Nothing of it is noted: the next attempt begins anew.
    provider.change = (answer) => answer
    await expect(keysBy(theirs())).resolves.toMatchObject({ scheme: 'cbcs' })
  })

  it('that says nothing is not waited for', async () => {
    provider.change = () => undefined
    await expect(keysBy(theirs({ timeoutSeconds: 1 }))).rejects.toMatchObject(
      failing('unavailable'),
    )
  })

  it('that is not there is away', async () => {
    const drm = theirs({ url: 'http://127.0.0.1:9/' })
    await expect(keysBy(drm)).rejects.toMatchObject(failing('unavailable'))
  })

  it('is not waited for by an attempt that was called off', async () => {
    provider.change = () => undefined
    const stop = new AbortController()
    const asked = keysBy(theirs(), stop.signal)
    setTimeout(() => stop.abort(new Error('called off')), 100)
    await expect(asked).rejects.toThrow('called off')
  })

  it('may name its elements as it likes', async () => {
    provider.change = (answer) => ({
      ...answer,
      body: answer.body.replaceAll('cpix:', 'c:').replace('xmlns:cpix=', 'xmlns:c='),
    })
    await expect(keysBy(theirs())).resolves.toMatchObject({ scheme: 'cbcs' })
  })
})
