/** Where the user was in a list: scroll position in pixels and index of the current video. */
type Place = { readonly top: number; readonly current: number }

const PLACES_MAX = 50
const start: Place = { top: 0, current: 0 }

/** Places by list, for the way back from a video. The oldest ones are forgotten. */
const places = new Map<string, Place>()

export const placeIn = (key: string): Place => places.get(key) ?? start

export function keepPlace(key: string, change: Partial<Place>): void {
  const place = { ...placeIn(key), ...change }
  places.delete(key)
  places.set(key, place)
  const [oldest] = places.keys()
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest)
}
