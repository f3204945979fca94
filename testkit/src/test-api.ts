import type { Scope } from '@reelkeep/contract'
import type { Context } from '@reelkeep/server/main/wiring/context.ts'
import { createOrganization } from '@reelkeep/server/modules/organizations/organizations.ts'
import { createToken } from '@reelkeep/server/modules/tokens/tokens.ts'
import { type ApiConfig, readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { Caller, type Send } from './caller.ts'
import { type StackEnv, stackEnv } from './processes/stack.ts'
import { CONNECT_MILLISECONDS_MAX, databaseTimeouts } from './settings.ts'

/** The service in this process, with the real database; requests go straight into its HTTP server. */
export class TestApi implements AsyncDisposable {
  readonly context: Context
  readonly send: Send
  readonly #owner: Database
  readonly #close: () => Promise<unknown>

  private constructor(context: Context, owner: Database, send: Send, close: () => Promise<unknown>) {
    this.context = context
    this.#owner = owner
    this.send = send
    this.#close = close
  }

  static async open(
    settings: Partial<Record<keyof ApiConfig, string>> = {},
    env: StackEnv = stackEnv(),
  ): Promise<TestApi> {
    const config = readApiConfig({
      ...databaseTimeouts,
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '60',
      ...env,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '100000000',
      FAILED_PLAYBACK_PER_MINUTE: '100000000',
      // Streams end after one second, because a request resolves only when its response is complete.
      EVENT_STREAM_SECONDS: '1',
      ...settings,
    })
    // Imported on demand, because loading these modules takes longer than many tests, and most tests do not need them.
    const { openContext } = await import('@reelkeep/server/main/wiring/context.ts')
    const { buildHttpApp } = await import('@reelkeep/server/main/wiring/http-app.ts')
    const context = openContext(config)
    const http = await buildHttpApp(context)
    const owner = openOwner(env)
    const send: Send = async ({ method, path, headers, body }) => {
      const answer = await http.inject({
        method,
        url: path,
        headers,
        ...(body && { payload: body }),
      })
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        text: answer.payload,
      }
    }
    return new TestApi(context, owner, send, () => http.close())
  }

  /** Creates an organization and a caller with a token for it. */
  async newOrganization(...scopes: Scope[]): Promise<Caller> {
    const { organizationId, token } = await newOrganization(this.#owner, scopes)
    return new Caller(this.send, organizationId, token)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    await this.context[Symbol.asyncDispose]()
    await this.#owner[Symbol.asyncDispose]()
  }
}

/** Opens database connections for a test. Their timeouts are long, so that the test does not fail on a busy machine. */
export function openDatabase(url: string, connectionsMax = 4): Database {
  const options = { url, connectionsMax, statementTimeoutSeconds: 60 }
  const connectTimeoutSeconds = CONNECT_MILLISECONDS_MAX / 1000
  return new Database({ ...options, connectTimeoutSeconds }, () => {})
}

export const openOwner = ({ DATABASE_OWNER_URL: url } = stackEnv()): Database => openDatabase(url)

export async function newOrganization(owner: Database, scopes: readonly Scope[] = []) {
  const organizationId = await createOrganization(owner, { name: 'Test', id: undefined })
  const { text } = await createToken(owner.forOrganization(organizationId), 'system', {
    name: 'Test',
    scopes: scopes.length > 0 ? scopes : ['*'],
    expiresAt: null,
  })
  return { organizationId, token: text }
}

/** Creates an organization, and a caller with a token for it. */
export async function newCaller(send: Send, env: StackEnv = stackEnv(), ...scopes: readonly Scope[]): Promise<Caller> {
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner, scopes)
  return new Caller(send, organizationId, token)
}
