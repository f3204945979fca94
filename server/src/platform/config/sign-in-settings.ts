import { z } from 'zod'
import { isNetworkPort } from '../network/network-ports.ts'
import { seconds, splitList } from './fields.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Lifetime of the sessions of people. */
export const sessionSettings = {
  /** A session that was not used for this long has ended. */
  SESSION_IDLE_SECONDS: seconds(90 * DAY).default(12 * HOUR),
  /** A session ends this long after the sign-in, even if it is used. */
  SESSION_SECONDS: seconds(90 * DAY).default(14 * DAY),
}

const methods = ['passkey', 'password', 'oidc'] as const

const areMethods = (names: string[]): names is (typeof methods)[number][] =>
  names.length > 0 && names.every((name) => methods.some((method) => method === name))

const PROVIDERS_MAX = 20
const roleName = z.string().min(1).max(64)

const oidcProvider = z
  .strictObject({
    /** Part of the provider's URLs here. */
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/),
    name: z.string().min(1).max(100),
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1).max(500),
    client_secret: z.string().min(1).max(2000).optional(),
    scopes: z.string().min(1).max(500).default('openid email profile'),
    prompt: z.enum(['login', 'select_account', 'consent']).default('login'),
    roles: z.strictObject({ claim: z.string().min(1).max(200), values: z.record(z.string(), roleName) }).optional(),
    just_in_time: z
      .strictObject({ organization_id: z.string().regex(/^[a-z0-9]{6,12}$/), role: roleName.optional() })
      .optional(),
  })
  .transform((given) => ({
    id: given.id,
    name: given.name,
    issuer: given.issuer,
    clientId: given.client_id,
    clientSecret: given.client_secret,
    scopes: given.scopes,
    prompt: given.prompt,
    roles: given.roles,
    justInTime: given.just_in_time && {
      organizationId: given.just_in_time.organization_id,
      role: given.just_in_time.role,
    },
  }))

const providersError = `must be a JSON list of at most ${PROVIDERS_MAX} providers with different ids`

const oidcProviders = z.string().transform((text, context) => {
  const parsed = z.array(oidcProvider).max(PROVIDERS_MAX).safeParse(parseJson(text))
  const hasTwice = new Set(parsed.data?.map(({ id }) => id)).size < (parsed.data?.length ?? 0)
  if (parsed.success && !hasTwice) return parsed.data
  // Names the field, not its value: a provider has a secret.
  const field = parsed.error?.issues[0]?.path.join('.')
  context.addIssue({ code: 'custom', message: field ? `${providersError}; check ${field}` : providersError })
  return z.NEVER
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Ways in which people sign in, and their limits. */
export const signInSettings = {
  /** The allowed ways to sign in. */
  SIGN_IN: z
    .string()
    .default(methods.join(','))
    .transform((text) => [...new Set(splitList(text))])
    .refine(areMethods, `must be some of ${methods.join(', ')}, separated by commas`),
  /** Identity providers (OpenID Connect), as JSON. */
  OIDC_PROVIDERS: oidcProviders.default([]),
  /** Networks of identity providers that are not on the public internet, such as `10.0.0.0/8:443`. */
  OIDC_NETWORKS: z
    .string()
    .default('')
    .transform(splitList)
    .refine((texts) => texts.every(isNetworkPort), 'must be networks with a port such as 10.0.0.0/8:443'),
  /** Memory and passes of argon2id for a password. */
  SIGN_IN_HASH_MEMORY_KIB: z.coerce.number().int().min(8).max(4_194_304).default(19_456),
  SIGN_IN_HASH_PASSES: z.coerce.number().int().min(1).max(100).default(2),
  /** Passwords that are hashed at the same time. Each needs the memory above and a core. */
  SIGN_IN_HASHES_MAX: z.coerce.number().int().min(1).max(64).default(2),
  /** Requests with which people sign in, by network. */
  SIGN_IN_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(120),
  /** Failed passwords for one account before it is locked for a while. */
  SIGN_IN_ATTEMPTS_MAX: z.coerce.number().int().min(3).max(1000).default(10),
  /** Failed passwords from one network before it is locked for a while. */
  SIGN_IN_ATTEMPTS_PER_NETWORK_MAX: z.coerce.number().int().min(3).max(100_000).default(30),
  /** Duration of the first lock; each further one is twice as long, up to a day. */
  SIGN_IN_LOCK_SECONDS: seconds(DAY).default(15 * 60),
}
