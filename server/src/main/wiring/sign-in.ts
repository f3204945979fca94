import type { FastifyInstance } from 'fastify'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { AuditWriter } from '../../modules/audit/audit-writer.ts'
import { personRecord, recordPersonAction } from '../../modules/audit/request-audit.ts'
import { membershipsOf } from '../../modules/sessions/sessions.ts'
import { type AccountApi, openAccountApi } from '../../modules/sign-in/account-route.ts'
import { registerLinkRoutes } from '../../modules/sign-in/links/links.routes.ts'
import { acceptUnlessMember } from '../../modules/sign-in/links/links.ts'
import { joinByProvider } from '../../modules/sign-in/oidc/just-in-time.ts'
import { registerOidcRoutes } from '../../modules/sign-in/oidc/oidc.routes.ts'
import type { Joining } from '../../modules/sign-in/oidc/oidc.ts'
import { OidcClient } from '../../modules/sign-in/oidc/oidc-client.ts'
import { registerPasskeyRoutes } from '../../modules/sign-in/passkeys/passkeys.routes.ts'
import { PasswordHasher } from '../../modules/sign-in/passwords/password-hashing.ts'
import { registerPasswordRoutes } from '../../modules/sign-in/passwords/passwords.routes.ts'
import { registerSessionRoutes } from '../../modules/sign-in/sign-in.routes.ts'
import type { SignIn } from '../../modules/sign-in/sign-in.ts'
import type { ApiConfig } from '../../platform/config/env.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Logger } from '../../platform/observability/logger.ts'

type Options = {
  readonly config: ApiConfig
  readonly database: Database
  readonly logger: Logger
  readonly audit: AuditWriter
}

/** The routes with which people sign in. */
export function registerSignIn(http: FastifyInstance, options: Options): void {
  const { config } = options
  const api: AccountApi = openAccountApi(http, openSignIn(options), config.SIGN_IN_REQUESTS_PER_MINUTE)
  const providers = config.OIDC_PROVIDERS.map(({ id, name }) => ({ id, name }))
  registerSessionRoutes(api, providers)
  registerLinkRoutes(api, providers)
  registerPasswordRoutes(api)
  registerPasskeyRoutes(api)
  const client = new OidcClient(config.OIDC_NETWORKS)
  http.addHook('onClose', () => client[Symbol.asyncDispose]())
  const { database, logger } = options
  registerOidcRoutes(api, { client, providers: config.OIDC_PROVIDERS, joining: joiningFor(database), logger })
}

const joiningFor = (database: Database): Joining => ({
  acceptInvitation: (token, person) => acceptUnlessMember({ database, recordFor: personRecord }, token, person),
  join: (organizationId, person, role) => {
    const record = personRecord({ action: 'joinByProvider', name: person.name })
    return joinByProvider(database.forOrganization(organizationId as OrganizationId, record), person, role)
  },
})

const openSignIn = ({ config, database, logger, audit }: Options): SignIn => ({
  database,
  hasher: new PasswordHasher({
    memoryKib: config.SIGN_IN_HASH_MEMORY_KIB,
    passes: config.SIGN_IN_HASH_PASSES,
    concurrency: config.SIGN_IN_HASHES_MAX,
  }),
  ring: config.KEY_ENCRYPTION_KEYS,
  methods: new Set(config.SIGN_IN),
  origin: new URL(config.PUBLIC_URL).origin,
  attempts: {
    accountMax: config.SIGN_IN_ATTEMPTS_MAX,
    networkMax: config.SIGN_IN_ATTEMPTS_PER_NETWORK_MAX,
    lockSeconds: config.SIGN_IN_LOCK_SECONDS,
  },
  sessions: { lifetimeSeconds: config.SESSION_SECONDS, idleSeconds: config.SESSION_IDLE_SECONDS },
  recordFor: personRecord,
  record: (memberships, action) => recordPersonAction(audit, { ...action, memberships }),
  report: async ({ outcome, method, person, client }) => {
    logger.info({ outcome, method, ...person, address: client.ip }, 'sign-in')
    if (!person) return
    try {
      const memberships = await membershipsOf(database, person)
      const errorCode = outcome === 'signed_in' ? null : 'sign_in_failed'
      await recordPersonAction(audit, { action: 'signIn', errorCode, memberships, client, requestId: null })
    } catch (err) {
      logger.warn({ err }, 'failed to record a sign-in')
    }
  },
})
