import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { escaped, writePage } from './embed-page.rules.ts'
import { contentSecurityPolicy, embedRequestOf, embedUrl, frameSize } from './embedding.rules.ts'

const organizationId = 'acme1234' as OrganizationId
const assetId = '01a1dfd4-6eb0-744d-b662-af04dea6b7d5' as AssetId
const open = { organizationId, assetId, token: 'open' }

describe('contentSecurityPolicy', () => {
  const origins = {
    ...{ publicUrl: 'https://api.example/v', playbackUrl: 'https://cdn.example/play' },
    licenseUrls: [],
  }

  it('allows only the player and the video', () => {
    expect(contentSecurityPolicy(origins, [], 'abc=').split('; ')).toEqual([
      "default-src 'none'",
      'script-src https://api.example',
      "style-src 'sha256-abc='",
      'connect-src https://cdn.example',
      'img-src data: https://cdn.example',
      'media-src blob: https://cdn.example',
      "base-uri 'none'",
      "form-action 'none'",
    ])
  })

  it("allows the DRM provider's license servers", () => {
    const licenseUrls = ['https://drm.example/widevine', 'https://drm.example/playready']
    expect(contentSecurityPolicy({ ...origins, licenseUrls }, [], 'abc=')).toContain(
      'connect-src https://cdn.example https://drm.example;',
    )
  })

  it('lists the origins that may embed the page', () => {
    expect(contentSecurityPolicy(origins, ['https://a.example', 'https://*.b.example'], 'abc=')).toContain(
      "form-action 'none'; frame-ancestors https://a.example https://*.b.example",
    )
  })
})

describe('the URL of an embed page', () => {
  it.each(['https://api.example', 'https://api.example/video'])('is parsed back for %s', (base) => {
    for (const embed of [open, { ...open, token: 'eyJ.a-b_c.d' }]) {
      expect(embedRequestOf(embedUrl(base, embed), base)).toEqual(embed)
    }
  })

  it.each([
    `https://other.example/embed/acme1234/${assetId}/`,
    `https://api.example.evil.example/embed/acme1234/${assetId}/`,
    `https://api.example/embed/acme1234/`,
    `https://api.example/embed/ACME1234/${assetId}/`,
    `https://api.example/embed/acme1234/${assetId}/more`,
    `https://api.example/play/open/acme1234/${assetId}/`,
    'nonsense',
    '',
  ])('is not parsed from %s', (url) => {
    expect(embedRequestOf(url, 'https://api.example')).toBeUndefined()
  })
})

it.each([
  [{ width: 1920, height: 1080 }, {}, { width: 800, height: 450 }],
  [{ width: 1920, height: 1080 }, { width: 320 }, { width: 320, height: 180 }],
  [{ width: 1920, height: 1080 }, { width: 1600 }, { width: 1600, height: 900 }],
  [
    { width: 1920, height: 1080 },
    { width: 640, height: 90 },
    { width: 160, height: 90 },
  ],
  [{ width: 1080, height: 1920 }, { height: 400 }, { width: 225, height: 400 }],
  [{ width: 4000, height: 10 }, { width: 1 }, { width: 1, height: 1 }],
])('frameSize of %j within %j is %j', (video, most, size) => {
  expect(frameSize(video, most)).toEqual(size)
})

describe('the embed page', () => {
  const page = {
    publicUrl: 'https://api.example',
    embed: open,
    playbackFolder: `https://cdn.example/play/{token}/acme1234/${assetId}/`,
    scriptName: 'embed-abcdefgh.js',
  }
  const video = {
    title: `<script>alert("x")</script> & 'y'`,
    ...{ posterUrl: 'https://cdn.example/play/open/acme1234/1/cover.jpg', posterKey: 'acme1234/1/cover.jpg' },
    ...{ width: 1280, height: 720, durationSeconds: 61.6 },
  }

  it('escapes the title', () => {
    const html = writePage({ ...page, video })
    expect(html).not.toContain('<script>alert')
    expect(html).toContain(`<title>${escaped(video.title)}</title>`)
    expect(html.match(/<script/g)).toHaveLength(1)
  })

  it('contains preview tags of an open video', () => {
    const html = writePage({ ...page, video })
    expect(html).toContain('<meta property="og:image" content="https://cdn.example/play/open/')
    expect(html).toContain('<meta name="twitter:card" content="player">')
    expect(html).toContain('type="application/json+oembed"')
    expect(html).not.toContain('noindex')
  })

  it('contains no metadata of a hidden video, and is not indexed', () => {
    const html = writePage({ ...page, video: undefined })
    expect(html).toContain('<title>Video</title>')
    expect(html).toContain('content="noindex"')
    expect(html).not.toMatch(/og:|twitter:|oembed/)
  })

  it('is not indexed by search engines if its URL contains a playback token', () => {
    const html = writePage({ ...page, embed: { ...open, token: 'a.b.c' }, video })
    expect(html).toContain('content="noindex"')
    expect(html).toContain('og:title')
  })
})
