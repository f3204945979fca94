import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { OrganizationDb } from '../db/database.ts'
import { nameOf } from '../db/statement.ts'
import { traceparentHere } from '../observability/tracing.ts'
import { APPLICATION_NAME, type Payload, placeOf, type Urgency } from './engine.ts'
import type { Job } from './job.ts'

export type { Urgency }

export type Wish = {
  readonly delaySeconds?: number
  /** Of two promises of a job with the same id in an organization, only the first counts. It has no slash. */
  readonly id?: string
  readonly urgency?: Urgency
}

let client: Promise<DBOSClient> | undefined

/** It has nowhere to connect to, and no need: every statement runs in its caller's transaction. */
function engineClient(): Promise<DBOSClient> {
  client ??= DBOSClient.create({
    systemDatabaseUrl: 'postgres://nowhere',
    applicationName: APPLICATION_NAME,
  })
  return client
}

/**
 * Promises that the job will be done for the organization of this handle: once the transaction commits, and only then.
 * It may be done twice, when a worker dies between the work and the note of it.
 */
export async function promiseJob<Input>(
  db: OrganizationDb,
  job: Pick<Job<Input>, 'name' | 'queue'>,
  input: Input,
  { delaySeconds, id = crypto.randomUUID(), urgency = 'normal' }: Wish = {},
): Promise<void> {
  // It would be taken for an attempt at another job.
  if (id.includes('/')) throw new Error(`The id of a job has no slash: ${id}`)
  const { organizationId } = db
  const traceparent = traceparentHere()
  const payload: Payload = {
    ...{ organizationId, input, queue: job.queue, urgency },
    ...(traceparent && { traceparent }),
  }
  await db.transaction(async (tx) => {
    const options = {
      // Ids are one space for all organizations; the first word keeps them apart.
      ...placeOf(job, payload, `${organizationId}/${job.name}/${id}`),
      ...(delaySeconds !== undefined && { delaySeconds }),
    }
    type Workflow = (payload: Payload) => Promise<void>
    const engine = await engineClient()
    await engine.enqueueInTransaction<Workflow>(asClient(tx), options, payload)
  })
}

type EngineClient = Parameters<DBOSClient['enqueueInTransaction']>[0]

/** What the engine needs of a connection. It waits for each of its statements, also for those that answer nothing. */
function asClient(tx: OrganizationDb): EngineClient {
  const query = async (text: string, values: readonly unknown[]) => {
    const statement = { name: nameOf(text), text, values: () => values }
    if (answersNothing(text)) {
      await tx.send(statement)
      return { rows: [] }
    }
    const [rows] = await tx.run(statement)
    return { rows }
  }
  return { query } as unknown as EngineClient
}

const answersNothing = (text: string) => /^\s*insert\b/i.test(text) && !/\breturning\b/i.test(text)
