/** Counters of rate limits: in the memory of this process, or in Postgres for all instances. */
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Database } from '../../../db/database.ts'
import { addPoints } from './shared-counters.store.ts'

export const WINDOW_SECONDS = 60

/** Points of a key in its current window. */
export type Counted = { readonly points: number; readonly resetSeconds: number }

export type Counter = {
  /** Adds points, which may be 0, and returns the sum. */
  readonly add: (key: string, points: number) => Promise<Counted>
}

const wholeSeconds = (seconds: number) => Math.max(1, Math.ceil(seconds))

export function memoryCounter(): Counter {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  return {
    add: async (key, points) => {
      // `penalty` would create a record, also for 0 points.
      const counted = points === 0 ? await limiter.get(key) : await limiter.penalty(key, points)
      if (!counted) return { points: 0, resetSeconds: WINDOW_SECONDS }
      return { points: counted.consumedPoints, resetSeconds: wholeSeconds(counted.msBeforeNext / 1000) }
    },
  }
}

type SharedCounterOptions = {
  readonly database: Database
  /** Beginning of the keys, to separate limits. */
  readonly prefix: string
  /** A key at this number of points is not counted in the database until its window ends. */
  readonly pointsMax: number
  /** Called with the first error of an outage. */
  readonly onError: (error: unknown) => void
}

/** Maximum number of cached keys that have reached their limit. */
const REMEMBERED_MAX = 10_000

/** While the database is unavailable, this instance counts in memory. */
export function sharedCounter({ database, prefix, pointsMax, onError }: SharedCounterOptions): Counter {
  const local = memoryCounter()
  const exceeded = new LRUCache<string, { readonly points: number; readonly endsMs: number }>({ max: REMEMBERED_MAX })
  let isAvailable = true
  return {
    add: async (key, points) => {
      const known = exceeded.get(key)
      const secondsLeft = known ? (known.endsMs - Date.now()) / 1000 : 0
      if (known && secondsLeft > 0) return { points: known.points + points, resetSeconds: wholeSeconds(secondsLeft) }
      try {
        const counted = await addPoints(database, { key: prefix + key, points, windowSeconds: WINDOW_SECONDS })
        isAvailable = true
        if (counted.total >= pointsMax) {
          exceeded.set(key, { points: counted.total, endsMs: Date.now() + counted.secondsLeft * 1000 })
        }
        return { points: counted.total, resetSeconds: wholeSeconds(counted.secondsLeft) }
      } catch (error) {
        if (isAvailable) onError(error)
        isAvailable = false
        return local.add(key, points)
      }
    },
  }
}
