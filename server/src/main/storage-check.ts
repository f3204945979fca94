import type { BaseContext } from './context.ts'

/** Tells the operator at once what every upload would stumble over. Storage may be away; then we go on. */
export async function checkStorage({ uploads, logger }: BaseContext): Promise<void> {
  try {
    const fault = await uploads.bucket.fault()
    if (fault) logger.error({ reason: fault }, 'storage is not set up')
  } catch (err) {
    logger.warn({ err }, 'storage does not answer, or refuses the key')
  }
}
