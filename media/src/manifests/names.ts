/** The playlists of a stream lie side by side, so that one reaches the others by their names alone. */
export const mediaPlaylistName = (track: string) => `${track}.m3u8`
export const iframePlaylistName = (track: string) => `${track}-iframes.m3u8`
export const subtitlePlaylistName = (track: string) => `subtitles-${track}.m3u8`

/** A segment of any track, by its number in the whole video. */
export const segmentName = (number: number) => `${String(number).padStart(5, '0')}.m4s`
