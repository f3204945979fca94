import { retryLater } from '../../kernel/errors.ts'

/** How soon a player may find the file repaired. */
const REPAIR_RETRY_SECONDS = 10

export const fileDamaged = () =>
  retryLater('unavailable', 'Storage has damaged this file. It is being repaired; try again.', REPAIR_RETRY_SECONDS)
