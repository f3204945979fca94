/**
 * Each protection by each protocol: it really plays for whom it is meant, and for nobody else.
 *
 * With FILMS=sample, as CI has it, every refusal is asked for, and each kind is watched once.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { accessTokens } from '@reelkeep/contract'
import { ServicePasses } from '@reelkeep/server/capabilities/access-tokens/access-tokens.ts'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { Objects, wantedFilms } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlayers } from '../browser/players.ts'
import { openPlaybackStage, type Protection, type StagedVideo } from './playback-stage.ts'
import { doesNotPlay, reallyPlays } from './watching.ts'

/** Two segments and more than is watched. */
const SECONDS = 13

const stage = await opened(openPlaybackStage('playback_protection', SECONDS))
const players = await opened(openPlayers())
const objects = new Objects(stage.env, 'reelkeep-media')
afterAll(() => objects[Symbol.dispose]())
const passes = new ServicePasses({
  secret: stage.env.PLAYBACK_SECRET,
  previousSecret: undefined,
})
const { organizationId } = stage.caller

const protections: readonly Protection[] = ['disable', 'aes', 'drm']
const videos = new Map<Protection, StagedVideo>()
beforeAll(async () => {
  // The one worker makes them one after the other; they are asked for at once.
  await Promise.all(protections.map(async (one) => videos.set(one, await stage.newVideo(one))))
}, 400_000)

const videoOf = (protection: Protection): StagedVideo => {
  const video = videos.get(protection)
  if (!video) throw new Error(`No video with ${protection} was made`)
  return video
}

async function tokenFor(protection: Protection, rules: object = {}) {
  const { assetId } = videoOf(protection)
  const path = `assets/${assetId}/access_tokens/`
  const { status, body } = await stage.caller.post<accessTokens.NewAccessToken>(path, rules)
  expect(status).toBe(201)
  return body
}

/** Signed as the service does it, for a time that it would not. */
function passUntil(protection: Protection, exp: number): string {
  const sub = videoOf(protection).assetId as AssetId
  const claims = { iss: organizationId as OrganizationId, sub, iat: exp - 60, exp, jti: 'short' }
  return passes.sign(claims)
}

const nowSeconds = () => Math.floor(Date.now() / 1000)
const folderOf = (protection: Protection, pass: string) =>
  `${stage.api.baseUrl}/play/${pass}/${organizationId}/${videoOf(protection).assetId}/`

/** How a pass is no good, and what it looks like then. */
const denials: Record<string, (protection: Protection) => Promise<string>> = {
  'no token': async () => 'none',
  'one that has expired': async (protection) => passUntil(protection, nowSeconds() - 1),
  'one for another video': async (protection) =>
    (await tokenFor(protection === 'aes' ? 'drm' : 'aes')).token,
  'one that was revoked': async (protection) => {
    const { id, token } = await tokenFor(protection)
    const path = `assets/${videoOf(protection).assetId}/access_tokens/${id}/`
    expect((await stage.caller.delete(path)).status).toBe(204)
    return token
  },
  'one that was tampered with': async (protection) => {
    const { token } = await tokenFor(protection)
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }
    const more = JSON.stringify({ ...claims, exp: claims.exp + 3600 })
    return [header, Buffer.from(more).toString('base64url'), signature].join('.')
  },
  'one for another site': async (protection) =>
    (await tokenFor(protection, { referrers: ['elsewhere.example'] })).token,
}

const kinds = Object.keys(denials)
const passOf = async (kind: string, protection: Protection) =>
  (await denials[kind]?.(protection)) ?? ''

/** `aes` is a way of HLS alone. */
const ways: readonly [Protection, string][] = [
  ['disable', 'master.m3u8'],
  ['disable', 'manifest.mpd'],
  ['aes', 'master.m3u8'],
  ['drm', 'master.m3u8'],
  ['drm', 'manifest.mpd'],
]

describe.each(ways)('%s by %s', (protection, manifest) => {
  const screen = (pass: string) => {
    const folder = folderOf(protection, pass)
    const licence = protection === 'drm' ? { licenceUrl: `${folder}licence` } : {}
    return players.play({ engine: 'shaka', url: folder + manifest, ...licence })
  }

  it('really plays with a token for this site and this network', async () => {
    const rules = { referrers: ['127.0.0.1'], networks: ['127.0.0.0/8'] }
    await using viewer = await screen((await tokenFor(protection, rules)).token)
    await viewer.watchUntil(({ currentSeconds }) => currentSeconds > 0.5)
    const first = await viewer.picture()
    const later = await viewer.watchUntil(({ currentSeconds }) => currentSeconds > 5)
    expect(later.errors).toEqual([])
    expect(later.currentSeconds).toBeGreaterThan(5)
    expect(later.frames).toBeGreaterThan(60)
    expect((await viewer.picture()).equals(first)).toBe(false)
  })

  it.each(kinds)('is refused with %s', async (kind) => {
    const answer = await fetch(folderOf(protection, await passOf(kind, protection)) + manifest)
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'playback_denied' })
  })

  const turn = ways.findIndex((way) => way[0] === protection && way[1] === manifest)
  const watched = kinds.filter(
    (_, index) => wantedFilms !== 'sample' || index % ways.length === turn,
  )
  it.each(watched)('does not play with %s', async (kind) => {
    await using viewer = await screen(await passOf(kind, protection))
    const seen = await viewer.watchUntil(({ frames }) => frames > 0)
    // 1001: the manifest was refused.
    expect(seen).toMatchObject({ frames: 0, errors: ['shaka: 1001'] })
  })
})

describe.each(protections)('%s on the hosted page', (protection) => {
  it('really plays with a token, and only once with one for a single use', async () => {
    const { token } = await tokenFor(protection, { single_use: true })
    const url = `${videoOf(protection).pageUrl}?muted=1&token=${token}`
    const page = await stage.newPage()
    await page.goto(url)
    expect(await reallyPlays(page)).toMatchObject({ plays: true, fault: null })
    const another = await stage.newPage()
    await another.goto(url)
    expect(await doesNotPlay(another)).toBe('denied')
  })

  it('does not play when the token has expired, and says so', async () => {
    const page = await stage.newPage()
    const token = passUntil(protection, nowSeconds() - 1)
    await page.goto(`${videoOf(protection).pageUrl}?token=${token}`)
    expect(await doesNotPlay(page)).toBe('expired')
  })

  it('a copied address of a segment ends with its token', async () => {
    const lasting = folderOf(protection, (await tokenFor(protection)).token)
    const playlist = await (await fetch(`${lasting}240p.m3u8`)).text()
    const name = /^[^#].*\.m4s$/m.exec(playlist)?.[0] ?? ''
    const until = nowSeconds() + 10
    const segment = folderOf(protection, passUntil(protection, until)) + name
    expect((await fetch(segment)).status).toBe(200)
    await expect
      .poll(async () => (await fetch(segment)).status, { timeout: 30_000, interval: 200 })
      .toBe(403)
    expect(nowSeconds()).toBeGreaterThanOrEqual(until)
  })
})

describe('what lies in storage', () => {
  let scratch: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reelkeep-stored-'))
  })
  afterAll(() => rm(scratch, { recursive: true }))

  /** Without a complaint. A header may say how large the picture is, but what is in it makes no sense. */
  async function isDecoded(protection: Protection): Promise<boolean> {
    const { assetId } = videoOf(protection)
    const stored = await objects.versions(`${organizationId}/${assetId}/`)
    const first = (name: string) => stored.filter(({ key }) => key.endsWith(name)).slice(0, 1)
    const pieces = [...first('/240p/init.mp4'), ...first('/240p/00000.m4s')]
    expect(pieces).toHaveLength(2)
    const path = join(scratch, `${protection}.mp4`)
    await writeFile(path, Buffer.concat(await Promise.all(pieces.map((one) => objects.read(one)))))
    const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode']
    return promisify(execFile)('ffmpeg', [...strict, '-i', path, '-f', 'null', '-']).then(
      ({ stderr }) => stderr === '',
      () => false,
    )
  }

  it('can be decoded if it is not protected', async () => {
    expect(await isDecoded('disable')).toBe(true)
  })

  it.each(['aes', 'drm'] as const)('cannot be without the key of %s', async (protection) => {
    expect(await isDecoded(protection)).toBe(false)
  })
})
