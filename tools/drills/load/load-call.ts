/** Calls of a load to the API of its organization. */
import type { LoadAnswer, LoadLine } from './load-connection.ts'
import type { LoadRecord } from './load-record.ts'

export type CallScene = {
  readonly line: LoadLine
  readonly record: LoadRecord
  readonly token: () => string
}

type Change = {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the organization. */
  readonly path: string
  readonly body?: object | undefined
}

/** Undefined: not acknowledged. */
export async function write<Body>(
  scene: CallScene,
  { method, path, body }: Change,
): Promise<{ readonly body: Body | undefined } | undefined> {
  // The key has no effect where repeating changes nothing.
  const headers = { ...authorized(scene), 'idempotency-key': crypto.randomUUID() }
  const wish = { kind: 'write', method, path: pathOf(scene, path), headers, body } as const
  const answer = await scene.line.ask(wish)
  if (!answer) return undefined
  // An earlier attempt whose response was lost may have deleted it; the event log must contain the deletion.
  const isGone = method === 'DELETE' && answer.status === 404
  if (isGone || answer.status < 300) scene.record.acknowledgedAt.push(Date.now())
  if (isGone) return { body: undefined }
  if (answer.status < 300) {
    return { body: answer.text === '' ? undefined : (JSON.parse(answer.text) as Body) }
  }
  scene.line.fault(wish, answer)
  return undefined
}

export function read(scene: CallScene, path: string): Promise<LoadAnswer | undefined> {
  const wish = { kind: 'read', method: 'GET', path: pathOf(scene, path) } as const
  return scene.line.ask({ ...wish, headers: authorized(scene) })
}

export const authorized = ({ token }: Pick<CallScene, 'token'>) => ({
  authorization: `token ${token()}`,
})

const pathOf = ({ record }: CallScene, path: string) => `/api/v1/${record.organizationId}/${path}`
