/** Whether the error is that of an insert or update which would have broken the given unique index. */
export const isUniqueViolation = (error: unknown, index: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '23505' &&
  'constraint' in error &&
  error.constraint === index
