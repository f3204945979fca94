/**
 * Captions: parsed by the browser, rendered by the player, so that they look the same in every browser and
 * move above the control bar when it is visible.
 */
import { absolute, type Source, type Subtitles } from '../about.ts'
import { readPreferences, savePreferences } from '../viewer-storage.ts'
import { element } from './dom.ts'

export type Captions = ReturnType<typeof openCaptions>

export function openCaptions(video: HTMLVideoElement, onChange: () => void) {
  const node = element('div', { class: 'captions', 'aria-hidden': 'true' })
  let tracks: readonly Subtitles[] = []
  let elements = new Map<string, HTMLTrackElement>()
  let shownId: string | null = null
  /** The track that is read without being shown. */
  let readId: string | null = null
  let drawn: readonly VTTCue[] = []

  function draw(): void {
    const track = shownId === null ? undefined : elements.get(shownId)?.track
    const cues = cuesAt(track, video.currentTime)
    if (cues.length === drawn.length && cues.every((cue, index) => cue === drawn[index])) return
    drawn = cues
    node.replaceChildren(...cues.map(toLine))
  }

  function apply(): void {
    for (const [id, { track }] of elements) {
      const mode = id === shownId || id === readId ? 'hidden' : 'disabled'
      if (track.mode !== mode) track.mode = mode
    }
    draw()
    onChange()
  }

  return {
    node,
    draw,
    tracks: () => tracks,
    shown: () => tracks.find(({ id }) => id === shownId),
    /** The track for this viewer. */
    preferred: () => defaultTrack(tracks),
    /** Must be called after shaka-player has loaded a video: it disables text tracks that it did not create. */
    apply,
    setSource({ base, about }: Source): void {
      tracks = about.subtitles
      for (const old of elements.values()) old.remove()
      elements = new Map(tracks.map((track) => [track.id, toElement(track, base, draw)]))
      video.append(...elements.values())
      if (!elements.has(shownId ?? '')) shownId = preferredTrack(tracks)?.id ?? null
      apply()
    },
    /** Loads the cues of a track, also if it is not shown. Rejects if that fails. */
    async read(id: string): Promise<readonly VTTCue[]> {
      const track = elements.get(id)
      if (!track) return []
      readId = id
      apply()
      await loaded(track)
      return [...(track.track.cues ?? [])].filter((cue) => cue instanceof VTTCue)
    },
    show(id: string | null): void {
      shownId = id
      savePreferences({ captions: tracks.find((track) => track.id === id)?.language ?? null })
      apply()
    },
    toggle(): void {
      const id = shownId === null ? (defaultTrack(tracks)?.id ?? null) : null
      this.show(id)
    },
  }
}

function loaded(track: HTMLTrackElement): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  track.addEventListener('load', () => resolve(), { once: true })
  track.addEventListener('error', () => reject(new Error('The captions could not be loaded.')), { once: true })
  if (track.readyState === HTMLTrackElement.LOADED) resolve()
  if (track.readyState === HTMLTrackElement.ERROR) reject(new Error('The captions could not be loaded.'))
  return promise
}

/** The track in the language the viewer last chose; undefined if captions were off. */
const preferredTrack = (tracks: readonly Subtitles[]) => {
  const { captions } = readPreferences()
  return captions ? tracks.find(({ language }) => language === captions) : undefined
}

/** The default caption track: prefers the viewer's language, then human-made over auto-generated tracks. */
function defaultTrack(tracks: readonly Subtitles[]): Subtitles | undefined {
  const viewerLanguage = navigator.language.split('-', 1)[0] ?? ''
  const matching = tracks.filter(({ language }) => language.split('-', 1)[0] === viewerLanguage)
  const humanMade = (list: readonly Subtitles[]) => list.find(({ is_automatic }) => !is_automatic)
  return preferredTrack(tracks) ?? humanMade(matching) ?? matching[0] ?? humanMade(tracks) ?? tracks[0]
}

function toElement(track: Subtitles, base: string, draw: () => void): HTMLTrackElement {
  const trackElement = element('track', {
    kind: 'subtitles',
    src: absolute(track.uri, base),
    srclang: track.language,
    label: track.label,
  })
  trackElement.track.addEventListener('cuechange', draw)
  trackElement.addEventListener('load', draw)
  return trackElement
}

/**
 * The cues to show at a time. `activeCues` is not used: after a seek, Chromium keeps a cue in it that ends exactly at
 * the new position.
 */
const cuesAt = (track: TextTrack | undefined, seconds: number): VTTCue[] =>
  [...(track?.cues ?? [])]
    .filter((cue) => cue instanceof VTTCue)
    .filter(({ startTime, endTime }) => startTime <= seconds && seconds < endTime)

function toLine(cue: VTTCue): HTMLElement {
  const text = element('span', { class: 'caption' }, cue.getCueAsHTML())
  const isAbove = typeof cue.line === 'number' && !cue.snapToLines && cue.line < 50
  return element('div', { class: isAbove ? 'caption-line above' : 'caption-line' }, text)
}
