import { retryLater } from '../../../kernel/errors.ts'

/** Error for a query when its queue is full: failing at once lets clients back off instead of waiting for a timeout. */
export const overloaded = () => retryLater('unavailable', 'The service is overloaded. Retry in 1 second.', 1)
