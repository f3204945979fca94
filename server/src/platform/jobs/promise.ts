import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { OrganizationDb } from '../db/database.ts'
import { nameOf } from '../db/statement.ts'
import { APPLICATION_NAME, type Payload } from './engine.ts'
import type { Job } from './job.ts'

export type Wish = {
  readonly delaySeconds?: number
  /** Of two promises of a job with the same id in an organization, only the first counts. */
  readonly id?: string
}

/** It has nowhere to connect to, and no need: every statement runs in its caller's transaction. */
const client = DBOSClient.create({
  systemDatabaseUrl: 'postgres://nowhere',
  applicationName: APPLICATION_NAME,
})

/**
 * Promises that the job will be done for the organization of this handle: once the transaction commits, and only then.
 * It may be done twice, when a worker dies between the work and the note of it.
 */
export function promiseJob<Input>(
  db: OrganizationDb,
  job: Job<Input>,
  input: Input,
  { delaySeconds, id = crypto.randomUUID() }: Wish = {},
): Promise<void> {
  const { organizationId } = db
  const payload: Payload = { organizationId, input }
  return db.transaction(async (tx) => {
    const options = {
      workflowName: job.name,
      // Ids are one space for all organizations; the first word keeps them apart.
      workflowID: `${organizationId}/${job.name}/${id}`,
      queueName: job.queue,
      queuePartitionKey: organizationId,
      ...(delaySeconds !== undefined && { delaySeconds }),
    }
    type Workflow = (payload: Payload) => Promise<void>
    await (await client).enqueueInTransaction<Workflow>(asClient(tx), options, payload)
  })
}

type EngineClient = Parameters<DBOSClient['enqueueInTransaction']>[0]

/** What the engine needs of a connection. */
function asClient(tx: OrganizationDb): EngineClient {
  const query = async (text: string, values: readonly unknown[]) => {
    const [rows] = await tx.run({ name: nameOf(text), text, values: () => values })
    return { rows }
  }
  return { query } as unknown as EngineClient
}
