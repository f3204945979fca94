import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { traceFacts } from './tracing.ts'

export type { Logger }

/** Lines are written together, once there are this many bytes or this time has passed. */
const BUFFER_BYTES = 16_000
const BUFFER_SECONDS = 1

const standardOutput = () =>
  destination({ sync: false, minLength: BUFFER_BYTES, periodicFlush: BUFFER_SECONDS * 1000 })

/**
 * JSON lines on standard output, written in the background. A line is built from named facts, never from
 * a whole request, header or setting: that is how no secret gets into it.
 */
export function openLogger(level: string, to: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      mixin: traceFacts,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    to,
  )
}

/** Nothing else of an error: libraries hang connections, and with them passwords, on theirs. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    // Storage answers some questions with a status and not a word.
    ...('$metadata' in error && { storage_status: statusOf(error.$metadata) }),
  }
}

function statusOf(metadata: unknown): unknown {
  return (metadata as { httpStatusCode?: number }).httpStatusCode
}
