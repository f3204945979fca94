/** Sends the API requests of a load. */
import type { LoadAnswer, LoadConnection } from './load-connection.ts'
import type { LoadRecord } from './load-record.ts'

export type CallContext = {
  readonly connection: LoadConnection
  readonly record: LoadRecord
  readonly token: () => string
}

type Change = {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Path relative to the URL of the organization. */
  readonly path: string
  readonly body?: object | undefined
}

/** Sends a change. Returns undefined if it was not acknowledged. */
export async function write<Body>(
  context: CallContext,
  { method, path, body }: Change,
): Promise<{ readonly body: Body | undefined } | undefined> {
  // The idempotency key has no effect on requests that are idempotent anyway.
  const headers = { ...authorized(context), 'idempotency-key': crypto.randomUUID() }
  const request = { kind: 'write', method, path: pathOf(context, path), headers, body } as const
  const answer = await context.connection.sendUntilAnswered(request)
  if (!answer) return undefined
  // An earlier attempt, whose response was lost, may have deleted the resource. The event log must contain the
  // deletion.
  const isDeleted = method === 'DELETE' && answer.status === 404
  if (isDeleted || answer.status < 300) context.record.acknowledgedAt.push(Date.now())
  if (isDeleted) return { body: undefined }
  if (answer.status < 300) {
    return { body: answer.text === '' ? undefined : (JSON.parse(answer.text) as Body) }
  }
  if (method === 'POST' && answer.isRepeated && body) context.record.refusedRepeats.push(body)
  context.connection.recordFailure(request, answer)
  return undefined
}

export function read(context: CallContext, path: string): Promise<LoadAnswer | undefined> {
  const request = { kind: 'read', method: 'GET', path: pathOf(context, path) } as const
  return context.connection.sendUntilAnswered({ ...request, headers: authorized(context) })
}

export const authorized = ({ token }: Pick<CallContext, 'token'>) => ({
  authorization: `token ${token()}`,
})

const pathOf = ({ record }: CallContext, path: string) => `/api/v1/${record.organizationId}/${path}`
