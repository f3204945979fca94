import { notNow } from '../../kernel/errors.ts'

/** More is asked than can be answered in time; saying so at once lets callers spread their load. */
export const tooMuchWork = () =>
  notNow('unavailable', 'The service is overloaded at the moment. Please repeat the request.', 1)
