import { DomainError, retryLater } from '../../../kernel/errors.ts'
import { isDatabaseUnavailable } from './availability.ts'

/** Error for a query when its queue is full: failing at once lets clients back off instead of waiting for a timeout. */
export const overloaded = () => retryLater('unavailable', 'The service is overloaded. Retry in 1 second.', 1)

/** Whether the database is unreachable, or has no connection for the query now, so that a retry may succeed. */
export const isTemporary = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof DomainError && error.code === 'unavailable')
