/**
 * Follows the live events of an organization, resumes after the last received number, and checks that none is missing
 * or repeated.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorized, type CallScene } from './load-call.ts'

const PAUSE_MILLISECONDS = 200

type StreamScene = CallScene & { readonly isOver: AbortSignal }

export async function followEvents(scene: StreamScene): Promise<void> {
  while (!scene.isOver.aborted) {
    const sentAt = Date.now()
    try {
      await followOnce(scene)
      scene.record.stream.resumptions++
      await pause(scene)
    } catch (error) {
      if (scene.isOver.aborted) return
      note(scene, sentAt, error)
      await pause(scene)
    }
  }
}

/** The service asks for two seconds, but the load should notice soon when the outage is over. */
const pause = ({ isOver }: StreamScene) =>
  sleep(PAUSE_MILLISECONDS, undefined, { signal: isOver }).catch(() => undefined)

class Refused extends Error {
  readonly status: number
  readonly isRefusal: boolean

  constructor({ statusCode = 0, headers }: IncomingMessage, text: string) {
    super(text)
    this.status = statusCode
    this.isRefusal = [503, 429].includes(statusCode) && headers['retry-after'] !== undefined
  }
}

/** Until the service ends it, or no heartbeat arrives in time: the service sends one every 15 seconds. */
async function followOnce(scene: StreamScene): Promise<void> {
  const { record, line, isOver } = scene
  const path = `/api/v1/${record.organizationId}/events/stream/`
  const headers = { ...authorized(scene), 'last-event-id': String(record.stream.lastNumber) }
  const answer = await line.open({ method: 'GET', path, headers }, isOver)
  answer.setEncoding('utf8')
  if (answer.statusCode !== 200) throw new Refused(answer, await textOf(answer))
  let rest = ''
  for await (const text of answer) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(scene, block)
  }
}

function take({ record }: StreamScene, block: string): void {
  const id = /^id: ?(\d+)$/m.exec(block)?.[1]
  if (id === undefined || !/^data:/m.test(block)) return
  const [number, { stream }] = [Number(id), record]
  if (number !== stream.lastNumber + 1) {
    stream.faults.push(`after event ${stream.lastNumber} the stream sent ${number}`)
  }
  stream.lastNumber = number
  record.answeredAt.stream.push(Date.now())
}

function note({ record }: StreamScene, sentAt: number, error: unknown): void {
  const status = error instanceof Refused ? error.status : undefined
  const isRefusal = error instanceof Refused && error.isRefusal
  const trouble = { kind: 'stream', isRefusal, sentAt, at: Date.now(), status } as const
  const told = { ...trouble, request: 'GET events/stream/', detail: String(error) }
  record[isRefusal ? 'refused' : 'failed'].push(told)
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer) text += piece
  return text
}
