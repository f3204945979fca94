/**
 * Plays videos with every protection and every protocol: with a valid token, and with no or an invalid token.
 *
 * If FILMS selects a film, as in CI, players use valid tokens only; invalid tokens are tested with requests.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { accessTokens } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { TokenIssuer } from '@reelkeep/server/modules/playback-tokens/playback-tokens.ts'
import { filmSelection, Objects } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlayers } from '../players.ts'
import { type FixtureVideo, openPlaybackFixture, type Protection } from './playback-fixture.ts'
import { doesNotPlay, reallyPlays } from './watching.ts'

/** Length of the video: more than two segments, and more than the tests play. */
const SECONDS = 13

const fixture = await opened(openPlaybackFixture('playback_protection', SECONDS))
const players = await opened(openPlayers())
const objects = new Objects(fixture.env, 'reelkeep-media')
afterAll(() => objects[Symbol.dispose]())
const tokenIssuer = new TokenIssuer({
  secret: fixture.env.PLAYBACK_SECRET,
  previousSecret: undefined,
})
const { organizationId } = fixture.caller

const isComplete = filmSelection === 'all'
const protections: readonly Protection[] = ['disable', 'aes', 'drm']
const videos = new Map<Protection, FixtureVideo>()
beforeAll(async () => {
  // The videos are uploaded in parallel, and processed one after the other by the only worker.
  await Promise.all(protections.map(async (protection) => videos.set(protection, await fixture.newVideo(protection))))
}, 400_000)

const videoOf = (protection: Protection): FixtureVideo => {
  const video = videos.get(protection)
  if (!video) throw new Error(`There is no video with the protection ${protection}`)
  return video
}

async function tokenFor(protection: Protection, rules: object = {}) {
  const { assetId } = videoOf(protection)
  const path = `assets/${assetId}/access-tokens/`
  const { status, body } = await fixture.caller.post<accessTokens.NewAccessToken>(path, rules)
  expect(status).toBe(201)
  return body
}

/** A playback token signed like the service's own tokens, with an arbitrary expiration time. */
function tokenExpiringAt(protection: Protection, exp: number): string {
  const sub = videoOf(protection).assetId as AssetId
  const claims = { iss: organizationId as OrganizationId, sub, iat: exp - 60, exp, jti: 'short', epoch: 0 }
  return tokenIssuer.sign(claims)
}

const nowSeconds = () => Math.floor(Date.now() / 1000)
const folderOf = (protection: Protection, token: string) =>
  `${fixture.api.baseUrl}/play/${token}/${organizationId}/${videoOf(protection).assetId}/`

/** Kinds of invalid tokens. */
const denials: Record<string, (protection: Protection) => Promise<string>> = {
  'no token': async () => 'none',
  'an expired token': async (protection) => tokenExpiringAt(protection, nowSeconds() - 1),
  'a token for another video': async (protection) => (await tokenFor(protection === 'aes' ? 'drm' : 'aes')).token,
  'a revoked token': async (protection) => {
    const { id, token } = await tokenFor(protection)
    const path = `assets/${videoOf(protection).assetId}/access-tokens/${id}/`
    expect((await fixture.caller.delete(path)).status).toBe(204)
    return token
  },
  'a manipulated token': async (protection) => {
    const { token } = await tokenFor(protection)
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }
    const more = JSON.stringify({ ...claims, exp: claims.exp + 3600 })
    return [header, Buffer.from(more).toString('base64url'), signature].join('.')
  },
  'a token for another site': async (protection) =>
    (await tokenFor(protection, { referrers: ['elsewhere.example'] })).token,
}

const kinds = Object.keys(denials)
const tokenOf = async (kind: string, protection: Protection) => (await denials[kind]?.(protection)) ?? ''

/** `aes` is available with HLS only. */
const protocols: readonly [Protection, string][] = [
  ['disable', 'master.m3u8'],
  ['disable', 'manifest.mpd'],
  ['aes', 'master.m3u8'],
  ['drm', 'master.m3u8'],
  ['drm', 'manifest.mpd'],
]

describe.each(protocols)('a video with the protection %s played from %s', (protection, manifest) => {
  const screen = (token: string) => {
    const folder = folderOf(protection, token)
    const license = protection === 'drm' ? { licenseUrl: `${folder}license` } : {}
    return players.play({ engine: 'shaka', url: folder + manifest, ...license })
  }

  it('plays with a token for this site and this network', async () => {
    const rules = { referrers: ['127.0.0.1'], networks: ['127.0.0.0/8'] }
    await using viewer = await screen((await tokenFor(protection, rules)).token)
    await viewer.watchUntil(({ currentSeconds }) => currentSeconds > 0.5)
    const first = await viewer.screenshot()
    const later = await viewer.watchUntil(({ currentSeconds }) => currentSeconds > 5)
    expect(later.errors).toEqual([])
    expect(later.currentSeconds).toBeGreaterThan(5)
    expect(later.frames).toBeGreaterThan(60)
    expect((await viewer.screenshot()).equals(first)).toBe(false)
  })

  it.each(kinds)('is denied to a request with %s', async (kind) => {
    const response = await fetch(folderOf(protection, await tokenOf(kind, protection)) + manifest)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'playback_denied' })
  })

  it.each(isComplete ? kinds : [])('does not play with %s', async (kind) => {
    await using viewer = await screen(await tokenOf(kind, protection))
    const seen = await viewer.watchUntil(({ frames }) => frames > 0)
    // Error 1001 of shaka-player: the service rejected the request for the manifest.
    expect(seen).toMatchObject({ frames: 0, errors: ['shaka: 1001'] })
  })
})

describe.each(isComplete ? protections : [])('a video with the protection %s on the embed page', (protection) => {
  it('plays with a token, and only once with a single-use token', async () => {
    const { token } = await tokenFor(protection, { single_use: true })
    const url = `${videoOf(protection).pageUrl}?muted=1&token=${token}`
    const page = await fixture.newPage()
    await page.goto(url)
    expect(await reallyPlays(page)).toMatchObject({ plays: true, errorCode: null })
    const another = await fixture.newPage()
    await another.goto(url)
    expect(await doesNotPlay(another)).toBe('denied')
  })

  it('is replaced by a message that the link has expired if the token has expired', async () => {
    const page = await fixture.newPage()
    const token = tokenExpiringAt(protection, nowSeconds() - 1)
    await page.goto(`${videoOf(protection).pageUrl}?token=${token}`)
    expect(await doesNotPlay(page)).toBe('expired')
  })

  it('has segment URLs that stop working when their token expires', async () => {
    const lasting = folderOf(protection, (await tokenFor(protection)).token)
    const playlist = await (await fetch(`${lasting}240p.m3u8`)).text()
    const name = /^[^#].*\.m4s$/m.exec(playlist)?.[0] ?? ''
    const until = nowSeconds() + 10
    const segment = folderOf(protection, tokenExpiringAt(protection, until)) + name
    expect((await fetch(segment)).status).toBe(200)
    await expect.poll(async () => (await fetch(segment)).status, { interval: 200 }).toBe(403)
    expect(nowSeconds()).toBeGreaterThanOrEqual(until)
  })
})

describe('stored segments', () => {
  let scratch: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reelkeep-stored-'))
  })
  afterAll(() => rm(scratch, { recursive: true }))

  /** Whether ffmpeg decodes the segments without errors. It can read the header of encrypted segments too. */
  async function isDecoded(protection: Protection): Promise<boolean> {
    const { assetId } = videoOf(protection)
    const stored = await objects.versions(`${organizationId}/${assetId}/`)
    const first = (name: string) => stored.filter(({ key }) => key.endsWith(name)).slice(0, 1)
    const files = [...first('/240p/init.mp4'), ...first('/240p/00000.m4s')]
    expect(files).toHaveLength(2)
    const path = join(scratch, `${protection}.mp4`)
    await writeFile(path, Buffer.concat(await Promise.all(files.map((file) => objects.read(file)))))
    const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode']
    return promisify(execFile)('ffmpeg', [...strict, '-i', path, '-f', 'null', '-']).then(
      ({ stderr }) => stderr === '',
      () => false,
    )
  }

  it('can be decoded if the video has no protection', async () => {
    expect(await isDecoded('disable')).toBe(true)
  })

  it.each(['aes', 'drm'] as const)('cannot be decoded without a key if the protection is %s', async (protection) => {
    expect(await isDecoded(protection)).toBe(false)
  })
})
