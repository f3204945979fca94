/** Code that shows a video in another page. */

export type SharedVideo = {
  readonly origin: string
  readonly organization: string
  readonly asset: string
  readonly title: string
  readonly width: number
  readonly height: number
  /** The playback token and the playback URL that contains it. */
  readonly token: string
  readonly playbackUrl: string
}

const WIDTH = 800

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? '')

/** Page with the player. Browsers do not send the part after `#` to servers, so the token is in no log. */
export const linkOf = ({ origin, organization, asset, token }: SharedVideo) =>
  `${origin}/embed/${organization}/${asset}/#token=${token}`

export function iframeCode(video: SharedVideo): string {
  const height = Math.round((WIDTH * video.height) / video.width)
  return `<iframe src="${escaped(linkOf(video))}" title="${escaped(video.title)}" width="${WIDTH}" height="${height}" allow="autoplay; encrypted-media; fullscreen; picture-in-picture" allowfullscreen></iframe>`
}

const scriptOf = ({ origin }: SharedVideo) => `${origin}/embed/-/reelkeep-player.js`

export const elementCode = (video: SharedVideo) =>
  `<script type="module" src="${scriptOf(video)}"></script>
<reelkeep-player src="${escaped(video.playbackUrl)}"></reelkeep-player>`

/** React 19 loads the script once, however often the component is used. */
export const reactCode = (video: SharedVideo) =>
  `export const Video = () => (
  <>
    <script type="module" async src="${scriptOf(video)}" />
    <reelkeep-player src="${escaped(video.playbackUrl)}" />
  </>
)`

/** Hosts in a text with commas or spaces. Schemes and paths, which users paste with them, are removed. */
export const hostsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((part) => part.replace(/^https?:\/\//, '').replace(/\/.*$/, ''))
      .filter((host) => host !== ''),
  ),
]
