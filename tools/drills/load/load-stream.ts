/**
 * Follows the live events of an organization, resumes after the last received number, and checks that none is missing
 * or repeated.
 */
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isNextNumber } from '../../faults/events/event-log.ts'
import { authorized, type CallContext } from './load-call.ts'
import { isRefusal } from './load-connection.ts'
import type { LoadRecord } from './load-record.ts'

/** Delay before a reconnection. The service sends `retry: 2000`, but the load should continue soon after an outage. */
const PAUSE_MILLISECONDS = 200

type StreamContext = CallContext & { readonly stopSignal: AbortSignal }

export async function followEvents(context: StreamContext): Promise<void> {
  const { record, connection, stopSignal } = context
  const path = `/api/v1/${record.organizationId}/events/stream/`
  while (!stopSignal.aborted) {
    const sentAt = Date.now()
    const addError = (detail: string, { statusCode: status = 0, headers = {} } = {}) =>
      record.addError({
        ...{ kind: 'stream', request: 'GET events/stream/', sentAt, at: Date.now(), detail },
        ...{ isRefusal: isRefusal(status, headers), status: status || undefined },
      })
    try {
      const headers = { ...authorized(context), 'last-event-id': String(record.stream.lastNumber) }
      const answer = await connection.open({ method: 'GET', path, headers }, stopSignal)
      if (answer.statusCode === 200) await readStream(record, answer)
      else addError(await text(answer), answer)
    } catch (error) {
      if (stopSignal.aborted) return
      addError(String(error))
    }
    await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopSignal }).catch(() => undefined)
  }
}

/**
 * Reads the stream until the service ends it, or no heartbeat arrives in time. The service sends one every 15 seconds.
 */
async function readStream(record: LoadRecord, answer: IncomingMessage): Promise<void> {
  answer.setEncoding('utf8')
  let rest = ''
  for await (const chunk of answer) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) recordEvent(record, block)
  }
  record.stream.resumptions++
}

function recordEvent({ stream, answeredAt }: LoadRecord, block: string): void {
  const id = /^id: ?(\d+)$/m.exec(block)?.[1]
  if (id === undefined || !/^data:/m.test(block)) return
  const number = Number(id)
  if (!isNextNumber(number, stream.lastNumber))
    stream.violations.push(`after event ${stream.lastNumber} the stream sent ${number}`)
  stream.lastNumber = number
  answeredAt.stream.push(Date.now())
}
