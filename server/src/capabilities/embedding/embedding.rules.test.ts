import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { escaped, writePage } from './embed-page.rules.ts'
import {
  cleanOrigins,
  contentPolicy,
  embedUrl,
  frameSize,
  ORIGINS_MAX,
  viewingOf,
} from './embedding.rules.ts'

const organizationId = 'acme1234' as OrganizationId
const assetId = '01a1dfd4-6eb0-744d-b662-af04dea6b7d5' as AssetId
const open = { organizationId, assetId, pass: 'open' }

describe('origins', () => {
  it('are taken once each, in small letters', () => {
    const given = ['https://WWW.example.com', ' https://www.example.com ', 'http://127.0.0.1:8080']
    expect(cleanOrigins(given)).toEqual(['https://www.example.com', 'http://127.0.0.1:8080'])
    expect(cleanOrigins(['https://*.example.com'])).toEqual(['https://*.example.com'])
    expect(cleanOrigins([])).toEqual([])
  })

  it.each([
    '*',
    'example.com',
    'https://example.com/',
    'https://example.com/path',
    "https://example.com; script-src 'unsafe-inline'",
    'https://a.example https://b.example',
    'https://*',
    'javascript:alert(1)',
    'https://exa\nmple.com',
    '',
    `https://${'a'.repeat(260)}.example`,
  ])('are refused if they are none: %j', (origin) => {
    expect(() => cleanOrigins([origin])).toThrow()
  })

  it('are only so many', () => {
    const many = Array.from({ length: ORIGINS_MAX + 1 }, (_, index) => `https://${index}.example`)
    expect(cleanOrigins(many.slice(1))).toHaveLength(ORIGINS_MAX)
    expect(() => cleanOrigins(many)).toThrow('at most 50')
  })
})

describe('the policy', () => {
  const origins = {
    ...{ publicUrl: 'https://api.example/v', playbackUrl: 'https://cdn.example/play' },
    licenceUrls: [],
  }

  it('lets the page load the player and the video, and nothing else', () => {
    expect(contentPolicy(origins, [], 'abc=').split('; ')).toEqual([
      "default-src 'none'",
      'script-src https://api.example',
      "style-src 'sha256-abc='",
      'connect-src https://cdn.example',
      'img-src data: https://cdn.example',
      'media-src blob: https://cdn.example',
      "base-uri 'none'",
      "form-action 'none'",
      'frame-ancestors *',
    ])
  })

  it('lets the player ask a contracted licence server', () => {
    const licenceUrls = ['https://drm.example/widevine', 'https://drm.example/playready']
    expect(contentPolicy({ ...origins, licenceUrls }, [], 'abc=')).toContain(
      'connect-src https://cdn.example https://drm.example;',
    )
  })

  it('names the pages that may hold it', () => {
    expect(contentPolicy(origins, ['https://a.example', 'https://*.b.example'], 'abc=')).toContain(
      'frame-ancestors https://a.example https://*.b.example',
    )
  })
})

describe('the address of a page', () => {
  it.each(['https://api.example', 'https://api.example/video'])(
    'is read as written: %s',
    (base) => {
      for (const viewing of [open, { ...open, pass: 'eyJ.a-b_c.d' }]) {
        expect(viewingOf(embedUrl(base, viewing), base)).toEqual(viewing)
      }
    },
  )

  it.each([
    `https://other.example/embed/acme1234/${assetId}/`,
    `https://api.example.evil.example/embed/acme1234/${assetId}/`,
    `https://api.example/embed/acme1234/`,
    `https://api.example/embed/ACME1234/${assetId}/`,
    `https://api.example/embed/acme1234/${assetId}/more`,
    `https://api.example/play/open/acme1234/${assetId}/`,
    'nonsense',
    '',
  ])('is no other: %s', (url) => {
    expect(viewingOf(url, 'https://api.example')).toBeUndefined()
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
])('%j in %j is a frame of %j', (video, most, size) => {
  expect(frameSize(video, most)).toEqual(size)
})

describe('the page', () => {
  const page = {
    publicUrl: 'https://api.example',
    viewing: open,
    playFolder: `https://cdn.example/play/{pass}/acme1234/${assetId}/`,
    scriptName: 'embed-abcdefgh.js',
  }
  const video = {
    title: `<script>alert("x")</script> & 'y'`,
    posterUrl: 'https://cdn.example/play/open/acme1234/1/cover.jpg',
    ...{ width: 1280, height: 720, durationSeconds: 61.6 },
  }

  it('writes nothing of a title as HTML', () => {
    const html = writePage({ ...page, video })
    expect(html).not.toContain('<script>alert')
    expect(html).toContain(`<title>${escaped(video.title)}</title>`)
    expect(html.match(/<script/g)).toHaveLength(1)
  })

  it('tells others how to show an open video', () => {
    const html = writePage({ ...page, video })
    expect(html).toContain('<meta property="og:image" content="https://cdn.example/play/open/')
    expect(html).toContain('<meta name="twitter:card" content="player">')
    expect(html).toContain('type="application/json+oembed"')
    expect(html).not.toContain('noindex')
  })

  it('tells nothing of a video that may not be told of, and is not to be listed', () => {
    const html = writePage({ ...page, video: undefined })
    expect(html).toContain('<title>Video</title>')
    expect(html).toContain('content="noindex"')
    expect(html).not.toMatch(/og:|twitter:|oembed/)
  })

  it('is not to be listed with a pass in its address', () => {
    const html = writePage({ ...page, viewing: { ...open, pass: 'a.b.c' }, video })
    expect(html).toContain('content="noindex"')
    expect(html).toContain('og:title')
  })
})
