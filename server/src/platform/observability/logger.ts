import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { LogOutput } from './log-output.ts'
import { traceLogFields } from './tracing.ts'

export type { Logger }

const STANDARD_OUTPUT = 1

let output: LogOutput | undefined
const standardOutput = () => {
  output ??= new LogOutput(STANDARD_OUTPUT)
  return output
}

/**
 * JSON lines on standard output, written asynchronously. To keep secrets out, log individual fields, never a
 * whole request, header or setting.
 */
export function openLogger(level: string, to: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      mixin: traceLogFields,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    to,
  )
}

/** Logs only some properties of an error: errors of libraries may reference connections, and with them passwords. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    // Some error responses of storage have only a status.
    ...('$metadata' in error && { storage_status: statusOf(error.$metadata) }),
  }
}

function statusOf(metadata: unknown): unknown {
  return (metadata as { httpStatusCode?: number }).httpStatusCode
}
