/** Playback URLs end with the API token to which they were returned, and with the epoch, on every instance. */
import type { accessTokens, assets, tokens } from '@reelkeep/contract'
import { type Caller, openSession, Publisher, Superuser, shortPlan, TestApi, type VideoRef } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'

// Playback URLs contain the address of the instance, which is not reached over the network here.
const PLAYBACK_URL = 'https://watch.example'
const testApi = await opened(TestApi.open({ PLAYBACK_URL }))
const otherInstance = await opened(TestApi.open({ PLAYBACK_URL }))
const publisher = await opened(Publisher.open())
const superuser = await opened(Superuser.open())

const plan = shortPlan(1)

let owner: Caller
let video: VideoRef
beforeEach(async () => {
  owner = await testApi.newOrganization()
  const { asset } = await openSession(owner, { content_protection_type: 'disable' })
  video = { organizationId: owner.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [{ body: 'moving', seconds: 4 }],
  })
})

async function newReader(expires_at?: string) {
  const input = { name: 'Website', scopes: ['assets:read'], ...(expires_at && { expires_at }) }
  const { body } = await owner.post<tokens.NewToken>('tokens/', input)
  return { id: body.id, caller: owner.withToken(body.token) }
}

async function playbackUrlFor(caller: Caller): Promise<string> {
  const { body } = await caller.get<assets.Asset>(`assets/${video.assetId}/`)
  return String(body.video.playback_url)
}

async function newAccessToken() {
  const { body } = await owner.post<accessTokens.NewAccessToken>(`assets/${video.assetId}/access-tokens/`, {})
  return body
}

async function plays(url: string, of: TestApi = testApi): Promise<boolean> {
  const path = url.replace(PLAYBACK_URL, '/play')
  return (await of.send({ method: 'GET', path, headers: {}, body: undefined })).status === 200
}

async function expectEnded(...urls: string[]): Promise<void> {
  for (const url of urls) {
    expect(await plays(url)).toBe(false)
    await expect.poll(() => plays(url, otherInstance), { interval: 100 }).toBe(false)
  }
}

function claimsIn(url: string) {
  const ids = { organizationId: video.organizationId as OrganizationId, assetId: video.assetId as AssetId }
  return testApi.context.tokenIssuer.readAssetToken(url.split('/')[3] ?? '', ids)?.claims
}

describe('a playback URL in an asset response', () => {
  it('ends when the API token that received it is revoked; those of other tokens do not', async () => {
    const [reader, other] = [await newReader(), await newReader()]
    const [url, otherUrl] = [await playbackUrlFor(reader.caller), await playbackUrlFor(other.caller)]
    const access = await newAccessToken()
    for (const each of [url, otherUrl]) expect(await plays(each, otherInstance)).toBe(true)
    expect((await owner.delete(`tokens/${reader.id}/`)).status).toBe(204)
    await expectEnded(url)
    expect(await plays(otherUrl)).toBe(true)
    expect(await plays(access.playback_url)).toBe(true)
  })

  it('ends when the API token that received it is rotated without overlap', async () => {
    const reader = await newReader()
    const url = await playbackUrlFor(reader.caller)
    expect(await plays(url, otherInstance)).toBe(true)
    await owner.post(`tokens/${reader.id}/rotate/`, { overlap_seconds: 0 })
    await expectEnded(url)
  })

  it('expires with the API token that received it', async () => {
    const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000)
    const reader = await newReader(expiresAt.toISOString())
    const claims = claimsIn(await playbackUrlFor(reader.caller))
    expect(claims).toMatchObject({ exp: expiresAt.getTime() / 1000, by: reader.id })
  })
})

describe('DELETE access-tokens/', () => {
  it('revokes all access tokens and playback URLs, and allows new ones', async () => {
    const [url, access] = [await playbackUrlFor(owner), await newAccessToken()]
    for (const each of [url, access.playback_url]) expect(await plays(each, otherInstance)).toBe(true)
    expect((await owner.delete('access-tokens/')).status).toBe(204)
    await expectEnded(url, access.playback_url)
    const path = `assets/${video.assetId}/access-tokens/${access.id}/`
    const { body } = await owner.get<accessTokens.AccessToken>(path)
    expect(body.revoked_at).toEqual(expect.any(String))
    const [newUrl, newAccess] = [await playbackUrlFor(owner), await newAccessToken()]
    expect(newAccess.revoked_at).toBeNull()
    for (const each of [newUrl, newAccess.playback_url]) {
      expect(await plays(each)).toBe(true)
      expect(await plays(each, otherInstance)).toBe(true)
    }
  })

  it('does not affect other organizations', async () => {
    const other = await testApi.newOrganization()
    const url = await playbackUrlFor(owner)
    expect((await other.delete('access-tokens/')).status).toBe(204)
    expect(await plays(url)).toBe(true)
  })
})

it('a revocation beyond the limit revokes all access tokens and playback URLs', async () => {
  const [one, other, last] = [await newAccessToken(), await newAccessToken(), await newAccessToken()]
  const url = await playbackUrlFor(owner)
  await superuser.query(
    `insert into access_tokens
       (organization_id, asset_id, id, is_single_use, referrers, networks, expires_at, revoked_at)
     select $1, $2, gen_random_uuid(), false, '{}', '{}', now() + interval '1 hour', now()
     from generate_series(1, 9999)`,
    [owner.organizationId, video.assetId],
  )
  const revoke = ({ id }: { id: string }) => owner.delete(`assets/${video.assetId}/access-tokens/${id}/`)
  expect((await revoke(one)).status).toBe(204)
  await expectEnded(one.playback_url)
  expect(await plays(other.playback_url)).toBe(true)
  expect((await revoke(last)).status).toBe(204)
  await expectEnded(last.playback_url, other.playback_url, url)
})
