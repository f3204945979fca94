/** All playlists of a stream have the same base URL, so they refer to each other by name. */
export const mediaPlaylistName = (track: string) => `${track}.m3u8`
export const iframePlaylistName = (track: string) => `${track}-iframes.m3u8`
export const subtitlePlaylistName = (track: string) => `subtitles-${track}.m3u8`

/** Name of a segment, by its number in the whole video. */
export const segmentName = (number: number) => `${String(number).padStart(5, '0')}.m4s`
