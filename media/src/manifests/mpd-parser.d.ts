/** Types of mpd-parser, which includes none; only the parts that tests use. */
declare module 'mpd-parser' {
  type Segment = { readonly uri: string; readonly duration: number; readonly timeline: number }

  export type Playlist = {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly segments: readonly (Segment & {
      readonly resolvedUri: string
      readonly map: { readonly uri: string; readonly resolvedUri: string }
    })[]
  }

  type Group = Readonly<Record<string, { readonly language: string; readonly playlists: readonly Playlist[] }>>

  export function parse(
    text: string,
    options: { readonly manifestUri: string },
  ): {
    readonly duration: number
    readonly endList: boolean
    readonly playlists: readonly Playlist[]
    readonly mediaGroups: {
      readonly AUDIO: Readonly<Record<string, Group>>
      readonly SUBTITLES: Readonly<Record<string, Group>>
    }
  }
}
