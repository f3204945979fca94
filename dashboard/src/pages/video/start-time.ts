/** The second at which the page of a video starts it, in the address: `?t=83.2`. */
import { useLocation } from '@tanstack/react-router'

export type VideoSearch = { readonly t?: number }

/** Longer than any video. */
const SECONDS_MAX = 1_000_000

const secondsIn = (value: unknown) => {
  const seconds = typeof value === 'number' ? value : Number.parseFloat(String(value))
  return seconds >= 0 && seconds < SECONDS_MAX ? Math.round(seconds * 1000) / 1000 : undefined
}

/** Reads the parameters of the address, without those that mean nothing. */
export function videoSearch(search: Record<string, unknown>): VideoSearch {
  const t = secondsIn(search['t'])
  return t === undefined ? {} : { t }
}

/** The second in the address, and a key that differs after each navigation, also to the same second. */
export const useStartTime = () =>
  useLocation({
    select: ({ search, state }) => ({ seconds: videoSearch(search).t, key: state.__TSR_key }),
    structuralSharing: true,
  })
