/** Versions of protected videos: each has keys of its own, and viewers of every version that was shown get them. */
import type { versions } from '@reelkeep/contract'
import {
  assetToken,
  type Caller,
  openOwner,
  Publisher,
  Superuser,
  shortPlan,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { clearKey, encryptionKeys, protectAsset } from '../content-keys/content-keys.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
const publisher = await opened(Publisher.open())
const { KEY_ENCRYPTION_KEYS: keyRing } = testApi.context.config

let caller: Caller
let id: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

/** Only workers and the owner may write keys. */
const ownerDb = () => owner.forOrganization(caller.organizationId as OrganizationId)

async function process(mediaId: string): Promise<void> {
  const media = { organizationId: caller.organizationId, assetId: mediaId }
  await publisher.plan(media, shortPlan(1))
  await publisher.publish(media, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [{ body: 'sealed', seconds: 4 }],
  })
  await superuser.query(`update assets set bytes = 1, source_key = 'none' where id = $1`, [mediaId])
  await publisher.setStatus(media, 'Completed')
}

/** Uploads, processes and activates a second version; `protect` creates its keys. Returns the results of both calls. */
async function twoVersions<Keys>(type: string, protect: (id: AssetId) => Promise<Keys>): Promise<[Keys, Keys]> {
  id = (await uploadAsset(caller, { content_protection_type: type })).asset.id
  const first = await protect(id as AssetId)
  await process(id)
  const { body } = await caller.post<versions.NewVersion>(`assets/${id}/versions/`, {})
  const mediaId = body.client_payload.key.split('/')[1] as AssetId
  const second = await protect(mediaId)
  await process(mediaId)
  expect((await caller.post(`assets/${id}/versions/2/activate/`)).status).toBe(200)
  return [first, second]
}

function play(name: string, body?: object) {
  const video = { organizationId: caller.organizationId, assetId: id }
  const path = `/play/${assetToken(testApi.context.tokenIssuer, video)}/${video.organizationId}/${id}/${name}`
  const method = body ? 'POST' : 'GET'
  return testApi.send({
    method,
    path,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
}

it('the playlists of each version of an AES-128 video lead to the keys of that version', async () => {
  await twoVersions('aes', (mediaId) => protectAsset(keyRing, ownerDb(), { id: mediaId }))
  expect((await play('master.m3u8')).text).toContain('\nv2/240p.m3u8')
  for (const name of ['240p.m3u8', 'v2/240p.m3u8']) expect((await play(name)).text).toContain('URI="keys/0.key"')
  const [first, second] = [await play('keys/0.key'), await play('v2/keys/0.key')]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(first.text).not.toBe(second.text)
})

it('a license contains the keys of every version that was shown', async () => {
  const drm = { provider: clearKey, scheme: 'cbcs' } as const
  const { signal } = new AbortController()
  const pairs = await twoVersions(
    'drm',
    async (mediaId) => (await encryptionKeys({ keyRing, drm }, ownerDb(), { id: mediaId }, signal)).keys,
  )
  const kids = pairs.map((keys) => keys.map(({ kid }) => kid.toString('base64url')))
  expect(new Set(kids.flat()).size).toBe(4)
  for (const wanted of kids) {
    const { status, text } = await play('license', { kids: wanted })
    expect(status).toBe(200)
    expect(JSON.parse(text).keys.map(({ kid }: { kid: string }) => kid)).toEqual(wanted)
  }
  expect((await play('manifest.mpd')).text).toContain('<BaseURL>v2/</BaseURL>')
})
