/**
 * How our jobs look in the engine, DBOS Transact: a library that keeps workflows in our own Postgres. A job is a
 * workflow of a single step, bears the job's name and lies in the organization's partition of its queue. Only this folder knows
 * the engine.
 */
import type { DLogger } from '@dbos-inc/dbos-sdk'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Logger } from '../observability/logger.ts'

export const APPLICATION_NAME = 'reelkeep'

/**
 * A workflow under way is only taken up again by workers of the same version. Raise it when the steps of a workflow
 * change, not with every release. Promises bear no version, so that the newest workers take what older instances promised.
 */
export const WORKFLOW_VERSION = '1'

/** What a workflow is given. */
export type Payload = { readonly organizationId: OrganizationId; readonly input: unknown }

/** What we say ourselves, with the job and the organization. */
const saidByUs = /^(Error in step being automatically retried|Step .* has exceeded its maximum)/

/** The engine tells much about its start, which is of interest only to who looks for a fault in it. */
export function engineLogger(logger: Logger): DLogger {
  const isNews = (entry: unknown) => !saidByUs.test(String(entry))
  return {
    debug: (entry) => logger.trace(String(entry)),
    info: (entry) => logger.debug(String(entry)),
    warn: (entry) => isNews(entry) && logger.warn(String(entry)),
    error: (entry, more) => isNews(entry) && logger.error({ err: more?.error }, String(entry)),
  }
}
