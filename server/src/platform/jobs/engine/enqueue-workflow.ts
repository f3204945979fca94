import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { OrganizationDb } from '../../db/database.ts'
import { statementName } from '../../db/statement.ts'
import { APPLICATION_NAME, type Payload } from './workflow.ts'

type Workflow = (payload: Payload) => Promise<void>
type Enqueue = typeof DBOSClient.prototype.enqueueInTransaction<Workflow>
type EngineConnection = Parameters<Enqueue>[0]

let client: Promise<DBOSClient> | undefined

/** A client of the engine without a connection: every statement runs in its caller's transaction. */
function engineClient(): Promise<DBOSClient> {
  client ??= DBOSClient.create({
    systemDatabaseUrl: 'postgres://nowhere',
    applicationName: APPLICATION_NAME,
  })
  return client
}

/** Enqueues a workflow in the caller's transaction. */
export async function enqueueWorkflow(
  tx: OrganizationDb,
  options: Parameters<Enqueue>[1],
  payload: Payload,
): Promise<void> {
  const engine = await engineClient()
  await engine.enqueueInTransaction<Workflow>(asConnection(tx), options, payload)
}

/** Adapts a transaction to the engine. The engine awaits every statement, also those without a result. */
function asConnection(tx: OrganizationDb): EngineConnection {
  const query = async (text: string, values: readonly unknown[]) => {
    const statement = { name: statementName(text), text, values: () => values }
    if (!returnsRows(text)) {
      await tx.send(statement)
      return { rows: [] }
    }
    const [rows] = await tx.run(statement)
    return { rows }
  }
  return { query } as unknown as EngineConnection
}

const returnsRows = (text: string) => !/^\s*insert\b/i.test(text) || /\breturning\b/i.test(text)
