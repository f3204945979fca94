/**
 * What OpenTelemetry's packages complain of, in our log: a collector that takes nothing is
 * otherwise seen by nobody.
 */
import type { DiagLogger } from '@opentelemetry/api'
import type { Logger } from './logger.ts'

/** They complain of every batch; one line says it. */
const LINE_SECONDS = 60
const MESSAGE_LENGTH_MAX = 200
const LOST = 'traces are lost: the collector does not take them'

export function complainTo(
  logger: Pick<Logger, 'warn'>,
  nowSeconds: () => number = () => performance.now() / 1000,
): DiagLogger {
  let silentUntil = Number.NEGATIVE_INFINITY
  const complain = (text: string) => {
    if (nowSeconds() < silentUntil) return
    silentUntil = nowSeconds() + LINE_SECONDS
    const cause = causeIn(text)
    logger.warn(cause ?? {}, cause ? LOST : 'traces: OpenTelemetry complains')
  }
  const nothing = () => undefined
  return { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing }
}

/**
 * An error of sending comes as JSON of all that it has, and that may be what was sent: only two of
 * its fields are told. Of all else, nothing is known.
 */
function causeIn(text: string): { code?: string; cause?: string } | undefined {
  try {
    const { code, message } = JSON.parse(text) as Record<string, unknown>
    return {
      ...(code !== undefined && { code: String(code) }),
      ...(message !== undefined && { cause: String(message).slice(0, MESSAGE_LENGTH_MAX) }),
    }
  } catch {
    return undefined
  }
}
