import type { BaseContext } from './context.ts'

/**
 * Logs at startup if storage is not set up, which would fail every upload. If storage is unavailable, the service
 * continues.
 */
export async function logStorageProblems({ uploads, logger }: BaseContext): Promise<void> {
  try {
    const problem = await uploads.bucket.configurationError()
    if (problem) logger.error({ reason: problem }, 'storage is not set up')
  } catch (err) {
    logger.warn({ err }, 'storage is unavailable or rejects the key')
  }
}
