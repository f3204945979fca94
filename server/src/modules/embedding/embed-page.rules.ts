/** HTML of the embed page. It has no inline script, and one inline style whose hash is in the policy header. */
import { type EmbedRequest, embedUrl, FILES_PREFIX, type ShownVideo } from './embedding.rules.ts'

export const PAGE_STYLE =
  'html,body{margin:0;height:100%;background:#0b0d11;color:#f4f6f8;font:16px/1.5 system-ui,sans-serif}main{height:100%}reelkeep-player{width:100%;height:100%;aspect-ratio:auto;--reelkeep-radius:0}h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}p{padding:2rem}'

export type Page = {
  readonly publicUrl: string
  readonly embed: EmbedRequest
  /** URL of the video's playback files, with `{token}` as the placeholder for the playback token. */
  readonly playbackFolder: string
  readonly scriptName: string
  /** The metadata of the video. Undefined if the viewer may not see it. */
  readonly video: ShownVideo | undefined
}

export function writePage(page: Page): string {
  const { publicUrl, video, playbackFolder, scriptName } = page
  const title = video?.title ?? 'Video'
  const isListed = video !== undefined && page.embed.token === 'open'
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
<reelkeep-player deep-link data-src="${escaped(playbackFolder)}"></reelkeep-player>
<noscript><p>Enable JavaScript to play this video.</p></noscript>
</main>
</body>
</html>
`
}

/** Open Graph, Twitter and oEmbed tags for link previews. */
function tags({ publicUrl, embed }: Page, video: ShownVideo): string[] {
  const url = embedUrl(publicUrl, embed)
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

export const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? '')

/** The embed code: HTML of an iframe. */
export const frameHtml = (url: string, title: string, width: number, height: number) =>
  `<iframe src="${escaped(url)}" width="${width}" height="${height}" title="${escaped(title)}" allow="autoplay; encrypted-media; fullscreen; picture-in-picture" allowfullscreen frameborder="0"></iframe>`
