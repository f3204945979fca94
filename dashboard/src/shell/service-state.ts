import { useEffect, useSyncExternalStore } from 'react'
import { problemOf } from '../api/request.ts'
import { meQuery, queryClient } from '../app/queries.ts'

/** `unreachable`: no response. `unavailable`: the server responds that its database or storage does not. */
export type ServiceProblem = 'unreachable' | 'unavailable'

const UNAVAILABLE = 503
const CHECK_MILLISECONDS = 3000

let problem: ServiceProblem | undefined
const listeners = new Set<() => void>()

function setProblem(next: ServiceProblem | undefined): void {
  if (next === problem) return
  problem = next
  for (const listener of listeners) listener()
}

function problemIn(error: unknown): ServiceProblem | undefined {
  const status = problemOf(error)?.status
  if (status === 0) return 'unreachable'
  return status === UNAVAILABLE ? 'unavailable' : undefined
}

/** Requests that the pages make anyway show whether the service works. */
function watch(): () => void {
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return
    const { action } = event
    if (action.type === 'success') setProblem(undefined)
    if (action.type === 'failed' || action.type === 'error') setProblem(problemIn(action.error) ?? problem)
  })
}

let unwatch: (() => void) | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  unwatch ??= watch()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    unwatch?.()
    unwatch = undefined
  }
}

/** Reads everything again that the page shows, because it failed or may have changed in the meantime. */
export const readAgain = () => queryClient.invalidateQueries({ refetchType: 'active' })

/** Why requests fail, if they do. While they do, it checks the service, and reads the page again when it is back. */
export function useServiceProblem(): ServiceProblem | undefined {
  const current = useSyncExternalStore(subscribe, () => problem)
  const isFailing = current !== undefined
  useEffect(() => {
    if (!isFailing) return
    const timer = setInterval(() => {
      void queryClient.fetchQuery({ ...meQuery, retry: false, staleTime: 0 }).catch(() => undefined)
    }, CHECK_MILLISECONDS)
    return () => {
      clearInterval(timer)
      void readAgain()
    }
  }, [isFailing])
  return current
}
