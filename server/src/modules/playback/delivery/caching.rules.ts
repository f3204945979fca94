/**
 * Cache headers of playback responses. A response to a request with a playback token is private to the viewer until
 * the token expires: a shared cache would serve it to others without a check. Our own edge checks every request, so
 * it may cache longer; that is set in its configuration, because other caches on the way would follow a header too.
 */

/** Cache lifetime of a growing manifest. Players poll about once per segment and should get new segments. */
const GROWING_SECONDS = 2
/** Cache lifetime of a complete manifest. Subtitles may still be added, or the asset deleted. */
const DONE_SECONDS = 60
/** Cache lifetime of a media file. The content of its URL never changes. */
const MEDIA_FILE_SECONDS = 31_536_000

export type Caching = { readonly 'Cache-Control': string }

/** `secondsLeft` is the remaining lifetime of the playback token; null for `open`. */
export const mediaFileCaching = (secondsLeft: number | null): Caching => ({
  'Cache-Control': `${cacheControl(secondsLeft, MEDIA_FILE_SECONDS)}, immutable`,
})

/** For bytes that were not compared with their hash. Our edge does not cache them either. */
export const uncertain: Caching = { 'Cache-Control': 'private, no-cache' }

export const manifestCaching = (secondsLeft: number | null, mayGrow: boolean): Caching => ({
  'Cache-Control': cacheControl(secondsLeft, mayGrow ? GROWING_SECONDS : DONE_SECONDS),
})

const cacheControl = (secondsLeft: number | null, seconds: number) =>
  secondsLeft === null ? `public, max-age=${seconds}` : `private, max-age=${Math.min(secondsLeft, seconds)}`
