/** The page as HTML. It holds no script of its own and one style, whose hash the policy names. */
import { embedUrl, FILES_PREFIX, type ShownVideo, type Viewing } from './embedding.rules.ts'

export const PAGE_STYLE =
  'html,body{margin:0;height:100%;background:#0b0d11;color:#f4f6f8;font:16px/1.5 system-ui,sans-serif}main{height:100%}reelkeep-player{width:100%;height:100%;aspect-ratio:auto;--reelkeep-radius:0}h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}p{padding:2rem}'

export type Page = {
  readonly publicUrl: string
  readonly viewing: Viewing
  /** Where the video lies; `{pass}` stands for whatever lets the viewer in. */
  readonly playFolder: string
  readonly scriptName: string
  /** Undefined if nothing may be told of it. */
  readonly video: ShownVideo | undefined
}

export function writePage(page: Page): string {
  const { publicUrl, video, playFolder, scriptName } = page
  const title = video?.title ?? 'Video'
  const isListed = video !== undefined && page.viewing.pass === 'open'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${[...(isListed ? [] : ['<meta name="robots" content="noindex">']), ...(video ? tags(page, video) : [])].join('\n')}
<style>${PAGE_STYLE}</style>
<script type="module" src="${escaped(`${publicUrl}${FILES_PREFIX}/${scriptName}`)}"></script>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<reelkeep-player deep-link data-src="${escaped(playFolder)}"></reelkeep-player>
<noscript><p>This video needs JavaScript: please turn it on for this page.</p></noscript>
</main>
</body>
</html>
`
}

/** For whoever shows a link to the page: its title, its picture, and how to show it in a frame. */
function tags({ publicUrl, viewing }: Page, video: ShownVideo): string[] {
  const url = embedUrl(publicUrl, viewing)
  const { width, height, posterUrl, durationSeconds } = video
  const discovery = `${publicUrl}/oembed?format=json&url=${encodeURIComponent(url)}`
  const properties: Record<string, string | number | null> = {
    'og:type': 'video.other',
    'og:title': video.title,
    'og:url': url,
    'og:image': posterUrl,
    'og:video:url': url,
    'og:video:secure_url': url.startsWith('https:') ? url : null,
    'og:video:type': 'text/html',
    'og:video:width': width,
    'og:video:height': height,
    'video:duration': durationSeconds === null ? null : Math.round(durationSeconds),
  }
  const names: Record<string, string | number | null> = {
    'twitter:card': 'player',
    'twitter:title': video.title,
    'twitter:image': posterUrl,
    'twitter:player': url,
    'twitter:player:width': width,
    'twitter:player:height': height,
  }
  return [
    ...metas('property', properties),
    ...metas('name', names),
    ...(posterUrl === null ? [] : [`<link rel="preload" as="image" href="${escaped(posterUrl)}">`]),
    `<link rel="alternate" type="application/json+oembed" href="${escaped(discovery)}" title="${escaped(video.title)}">`,
  ]
}

const metas = (kind: 'name' | 'property', values: Record<string, string | number | null>) =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `<meta ${kind}="${name}" content="${escaped(String(value))}">`)

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (letter) => entities[letter] ?? '')

/** What somebody puts on their own page. */
export const frameHtml = (url: string, title: string, width: number, height: number) =>
  `<iframe src="${escaped(url)}" width="${width}" height="${height}" title="${escaped(title)}" allow="autoplay; encrypted-media; fullscreen; picture-in-picture" allowfullscreen frameborder="0"></iframe>`
