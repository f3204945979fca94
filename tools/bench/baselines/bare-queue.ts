/** The baseline for enqueueing a step: the client of DBOS, which only writes a workflow in a transaction. */
import { DBOSClient } from '@dbos-inc/dbos-sdk'

export const bare = { application: 'bare', queue: 'bare', workflow: 'bare' } as const

export type BareInput = { readonly organizationId: string; readonly input: object }

export async function openBareClient(url: string, connectionsMax: number) {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: connectionsMax,
    applicationName: bare.application,
  })
  return {
    enqueue: async (organizationId: string) => {
      const place = { queueName: bare.queue, queuePartitionKey: organizationId, priority: 10 }
      const input = { assetId: crypto.randomUUID(), run: 1 }
      await client.enqueue<(input: BareInput) => Promise<void>>(
        { ...place, workflowName: bare.workflow },
        { organizationId, input },
      )
    },
    [Symbol.asyncDispose]: () => client.destroy(),
  }
}
