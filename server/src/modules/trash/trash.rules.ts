import { toUtc } from '../../kernel/time.ts'

/** The trash is ordered by the time of deletion and by id. */
export const isTrashKey = ([deletedAt, id, ...others]: readonly string[]): boolean =>
  deletedAt !== undefined && id !== undefined && others.length === 0 && toUtc(deletedAt) === deletedAt
