/** The only file that reads the environment. Everything else is handed its settings. */
import { z } from 'zod'

const postgresUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.hostname,
    'must be an address of the form postgres://user:password@host:port/database',
  )

const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

const port = z.coerce.number().int().min(0).max(65_535)
const seconds = (most: number) => z.coerce.number().int().min(1).max(most)

const settings = {
  DATABASE_URL: postgresUrl,
  DATABASE_CONNECTIONS_MAX: z.coerce.number().int().min(4).max(500).default(16),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: seconds(600).default(10),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(8080),
  /** Metrics and health, for the operator's network only. */
  OPERATIONS_PORT: port.default(8081),
  /** How callers reach the API; `next` and `previous` begin with it. */
  PUBLIC_URL: httpUrl.default('http://127.0.0.1:8080'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).max(100_000_000).default(6000),
  /** How many proxies stand in front; the caller's address is taken from beyond them. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** How long a stopping instance goes on serving after it has said that it is not ready. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(5),
}

const apiSchema = z.object(settings)
const adminSchema = z.object({ DATABASE_OWNER_URL: postgresUrl })

export type ApiConfig = z.infer<typeof apiSchema>
export type AdminConfig = z.infer<typeof adminSchema>

export const readApiConfig = (env = process.env): ApiConfig => parse(apiSchema, env)
export const readAdminConfig = (env = process.env): AdminConfig => parse(adminSchema, env)

/** Settings that cannot be used; the message lists every one of them, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

function parse<Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.infer<Schema> {
  // An empty variable is how shells and Compose files say "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.')
    return `  ${name}: ${given[name] === undefined ? 'is required but not set' : issue.message}`
  })
  throw new ConfigError(`These settings need mending:\n${faults.join('\n')}`)
}
