/**
 * Captions, read by the browser from the files themselves and drawn by us: above the bar when it is
 * there, in a type that can be read, and the same in every browser.
 */
import { absolute, type Source, type Subtitles } from '../about.ts'
import { remember, remembered } from '../memory.ts'
import { element } from './dom.ts'

export type Captions = ReturnType<typeof openCaptions>

export function openCaptions(video: HTMLVideoElement, onChange: () => void) {
  const node = element('div', { class: 'captions', 'aria-hidden': 'true' })
  let tracks: readonly Subtitles[] = []
  let elements = new Map<string, HTMLTrackElement>()
  let shownId: string | null = null

  function draw(): void {
    const track = shownId === null ? undefined : elements.get(shownId)?.track
    const cues = [...(track?.activeCues ?? [])].filter((cue) => cue instanceof VTTCue)
    node.replaceChildren(...cues.map(toLine))
  }

  function apply(): void {
    for (const [id, { track }] of elements) {
      const mode = id === shownId ? 'hidden' : 'disabled'
      if (track.mode !== mode) track.mode = mode
    }
    draw()
    onChange()
  }

  return {
    node,
    tracks: () => tracks,
    shown: () => tracks.find(({ id }) => id === shownId),
    /** The engine turns off what it did not make itself. */
    apply,
    know({ base, about }: Source): void {
      tracks = about.subtitles
      for (const old of elements.values()) old.remove()
      elements = new Map(tracks.map((track) => [track.id, toElement(track, base, draw)]))
      video.append(...elements.values())
      if (!elements.has(shownId ?? '')) shownId = wanted(tracks)?.id ?? null
      apply()
    },
    show(id: string | null): void {
      shownId = id
      remember({ captions: tracks.find((track) => track.id === id)?.language ?? null })
      apply()
    },
    toggle(): void {
      const id = shownId === null ? (wantedOr(tracks)?.id ?? null) : null
      this.show(id)
    },
  }
}

/** Whoever had them on has them on again, in the same language if there is one. */
const wanted = (tracks: readonly Subtitles[]) => {
  const { captions } = remembered()
  return captions ? tracks.find(({ language }) => language === captions) : undefined
}

/** Those of the viewer's language; those that a person wrote before those that a machine heard. */
function wantedOr(tracks: readonly Subtitles[]): Subtitles | undefined {
  const own = navigator.language.split('-', 1)[0] ?? ''
  const inOwn = tracks.filter(({ language }) => language.split('-', 1)[0] === own)
  const byPeople = (list: readonly Subtitles[]) => list.find(({ is_automatic }) => !is_automatic)
  return wanted(tracks) ?? byPeople(inOwn) ?? inOwn[0] ?? byPeople(tracks) ?? tracks[0]
}

function toElement(track: Subtitles, base: string, draw: () => void): HTMLTrackElement {
  const made = element('track', {
    kind: 'subtitles',
    src: absolute(track.uri, base),
    srclang: track.language,
    label: track.label,
  })
  made.track.addEventListener('cuechange', draw)
  made.addEventListener('load', draw)
  return made
}

function toLine(cue: VTTCue): HTMLElement {
  const text = element('span', { class: 'caption' }, cue.getCueAsHTML())
  const isAbove = typeof cue.line === 'number' && !cue.snapToLines && cue.line < 50
  return element('div', { class: isAbove ? 'caption-line above' : 'caption-line' }, text)
}
