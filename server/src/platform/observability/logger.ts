import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type { Logger }

/**
 * What must never be in a log line. Lines are built from named facts, not from whole requests; this list is
 * the second lock for an object that is logged by mistake.
 */
const secrets = ['authorization', 'token', 'secret', 'password', 'url', 'DATABASE_URL']
const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** JSON lines on standard output, written in the background. */
export function openLogger(
  level: string,
  to: DestinationStream = destination({ sync: false }),
): Logger {
  return pino(
    {
      level,
      redact: { paths: redact, censor: '[redacted]' },
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    to,
  )
}
