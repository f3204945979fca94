/** Errors are distinguished by their names: a page may load the queue and the client from different files. */
import type { QueueError } from './uploads.ts'

type AnyError = Partial<QueueError> & { readonly status?: number }

export const toQueueError = (error: unknown): QueueError => {
  const { name = 'Error', code = '', message = String(error) } = (error ?? {}) as AnyError
  return { name, code: name === 'FileChangedError' ? 'file_changed' : code, message }
}

/** Whether to try again later without the user: no connection, a restarting service, or the sign-in has ended. */
export function isWorthWaiting(error: unknown): boolean {
  const { name = '', status = 0 } = (error ?? {}) as AnyError
  if (['ConnectionError', 'TimeoutError', 'AuthenticationError'].includes(name)) return true
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

export const hasCode = (error: unknown, code: string): boolean => (error as AnyError | undefined)?.code === code
