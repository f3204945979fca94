import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { OrganizationDb } from '../db/database.ts'
import { statementName } from '../db/statement.ts'
import { traceparentHere } from '../observability/tracing.ts'
import { APPLICATION_NAME, type Payload, placeOf, type Urgency } from './engine/engine.ts'
import type { Job } from './job.ts'

export type { Urgency }

export type Wish = {
  readonly delaySeconds?: number
  /** Enqueueing a job with the same id twice in an organization has no effect. Must not contain a slash. */
  readonly id?: string
  readonly urgency?: Urgency
}

let client: Promise<DBOSClient> | undefined

/** A client without a connection: every statement runs in its caller's transaction. */
function engineClient(): Promise<DBOSClient> {
  client ??= DBOSClient.create({
    systemDatabaseUrl: 'postgres://nowhere',
    applicationName: APPLICATION_NAME,
  })
  return client
}

/**
 * Enqueues the job for the organization of this handle when the transaction commits. It may run twice if a worker
 * dies after running it and before recording that.
 */
export async function enqueueJob<Input>(
  db: OrganizationDb,
  job: Pick<Job<Input>, 'name' | 'queue'>,
  input: Input,
  { delaySeconds, id = crypto.randomUUID(), urgency = 'normal' }: Wish = {},
): Promise<void> {
  // It would be mistaken for an attempt at another job.
  if (id.includes('/')) throw new Error(`The id of a job must not contain a slash: ${id}`)
  const { organizationId } = db
  const traceparent = traceparentHere()
  const payload: Payload = {
    ...{ organizationId, input, queue: job.queue, urgency },
    ...(traceparent && { traceparent }),
  }
  await db.transaction(async (tx) => {
    const options = {
      // Ids are global; the organization prefix makes them unique.
      ...placeOf(job, payload, `${organizationId}/${job.name}/${id}`),
      ...(delaySeconds !== undefined && { delaySeconds }),
    }
    type Workflow = (payload: Payload) => Promise<void>
    const engine = await engineClient()
    await engine.enqueueInTransaction<Workflow>(asClient(tx), options, payload)
  })
}

type EngineClient = Parameters<DBOSClient['enqueueInTransaction']>[0]

/** Adapts a transaction to the engine. The engine awaits every statement, also those without a result. */
function asClient(tx: OrganizationDb): EngineClient {
  const query = async (text: string, values: readonly unknown[]) => {
    const statement = { name: statementName(text), text, values: () => values }
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
