/** Resume positions and preferences of the viewer, in the browser's local storage. */
const KEY = 'reelkeep-player'

/** Maximum number of saved positions; the oldest are removed first. */
const POSITIONS_MAX = 100
/** Positions near the start or the end are not saved. */
const MIN_WATCHED_SECONDS = 10
const MIN_REMAINING_SECONDS = 15

type StoredData = {
  /** Position in seconds by asset, the most recent last. */
  readonly places: Readonly<Record<string, number>>
  readonly volume?: number
  readonly isMuted?: boolean
  /** Language of the captions, or null for none. */
  readonly captions?: string | null
}

/** Reads the stored data. Storage may be unavailable, for example in a frame of another site. */
function read(): StoredData {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<StoredData>
    return { ...stored, places: stored.places ?? {} }
  } catch {
    return { places: {} }
  }
}

function write(data: StoredData): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(data))
  } catch {
    // Without storage, nothing is saved.
  }
}

export const savePreferences = (preferences: Partial<Omit<StoredData, 'places'>>) =>
  write({ ...read(), ...preferences })

export const readPreferences = (): Omit<StoredData, 'places'> => read()

export const savedPosition = (assetId: string): number | undefined => read().places[assetId]

export function savePosition(assetId: string, seconds: number, duration: number): void {
  const { [assetId]: _, ...others } = read().places
  const isWorthSaving = seconds >= MIN_WATCHED_SECONDS && seconds <= duration - MIN_REMAINING_SECONDS
  const places = Object.entries(others).slice(isWorthSaving ? 1 - POSITIONS_MAX : -POSITIONS_MAX)
  if (isWorthSaving) places.push([assetId, Math.floor(seconds)])
  write({ ...read(), places: Object.fromEntries(places) })
}
