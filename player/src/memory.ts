/** What a viewer's own browser remembers: where they stopped, and how they like it. It never leaves the browser. */
const KEY = 'reelkeep-player'

/** The oldest is forgotten first. */
const VIDEOS_MAX = 100
/** Nobody resumes what they have hardly begun, or what is all but over. */
const BEGUN_SECONDS = 10
const LEFT_SECONDS = 15

type Remembered = {
  /** Seconds by asset, the one watched last at the end. */
  readonly places: Readonly<Record<string, number>>
  readonly volume?: number
  readonly isMuted?: boolean
  /** The language of the captions, or null for none. */
  readonly captions?: string | null
}

/** A browser may refuse to remember anything, in a frame of another site for one. */
function read(): Remembered {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Remembered>
    return { ...kept, places: kept.places ?? {} }
  } catch {
    return { places: {} }
  }
}

function write(remembered: Remembered): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(remembered))
  } catch {
    // Then it is forgotten.
  }
}

export const remember = (liking: Partial<Omit<Remembered, 'places'>>) =>
  write({ ...read(), ...liking })

export const remembered = (): Omit<Remembered, 'places'> => read()

export const placeIn = (assetId: string): number | undefined => read().places[assetId]

export function keepPlace(assetId: string, seconds: number, duration: number): void {
  const { [assetId]: _, ...others } = read().places
  const isWorthIt = seconds >= BEGUN_SECONDS && seconds <= duration - LEFT_SECONDS
  const places = Object.entries(others).slice(isWorthIt ? 1 - VIDEOS_MAX : -VIDEOS_MAX)
  if (isWorthIt) places.push([assetId, Math.floor(seconds)])
  write({ ...read(), places: Object.fromEntries(places) })
}
