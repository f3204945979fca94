import { type ErrorCode, includesScope, type Scope } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import type { AssetId, OrganizationId, PrincipalId, UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Limits } from '../../../kernel/limits.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { Span } from '../../observability/tracing.ts'

/** The authenticated caller: a valid token or a member with a session, its organization and its scopes. */
export type Principal = {
  readonly kind: 'token' | 'member'
  /** The token or the member; for an upload token, the principal that created it. */
  readonly id: PrincipalId
  readonly limits?: Limits
  /** The session of a member. */
  readonly session?: { readonly id: string; readonly authenticatedAt: Timestamp }
  /** Set for an upload token, which is valid for this session only. */
  readonly uploadSessionUuid?: UploadSessionUuid
  readonly organizationId: OrganizationId
  readonly scopes: readonly Scope[]
  readonly expiresAt: Timestamp | null
  /** Playback epoch of the organization, for the playback URLs in responses. */
  readonly playbackEpoch: number
  /** The operator has limited what the organization may store or encode. */
  readonly hasQuotas: boolean
  /** The organization has default resolutions, so new upload sessions need not give them. */
  readonly hasDefaultResolutions: boolean
}

/** The organization and asset that a request concerns. */
export type Subject = {
  /** The organization, for requests without an API token. */
  readonly organizationId?: OrganizationId
  readonly assetId: AssetId
}

export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope) => includesScope(scopes, scope)

export function assertScope(principal: Pick<Principal, 'kind' | 'scopes'>, scope: Scope): void {
  if (hasScope(principal, scope)) return
  throw refused(
    'insufficient_scope',
    principal.kind === 'member'
      ? `Your role lacks the scope ${scope}. Ask an owner of the organization for a role that has it.`
      : `The token lacks the scope ${scope}. Use a token that has it.`,
  )
}

/** How long ago a person may have signed in for an operation that needs a recent sign-in. */
const RECENT_SIGN_IN_MINUTES = 10

/** Throws for a member who signed in long ago. A token is not affected. */
export function assertRecentSignIn({ session }: Pick<Principal, 'session'>, nowMs: number): void {
  if (!session || nowMs - Date.parse(session.authenticatedAt) < RECENT_SIGN_IN_MINUTES * 60_000) return
  throw refused(
    'recent_sign_in_required',
    `This operation needs a sign-in within the last ${RECENT_SIGN_IN_MINUTES} minutes. Sign in again, then repeat it.`,
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; set before an operation of the contract runs. */
    principal: Principal
    /** Error code of the response, if it is a problem document. */
    problemCode?: ErrorCode
    /** The organization and asset for log lines; set once they are known. */
    subject?: Subject
    /** Span of the request, if it is traced. */
    span?: Span | undefined
  }
  interface FastifyContextConfig {
    /** Id of the contract's operation, for logs and metrics. */
    operation?: string
    /**
     * The route is readable from every origin and sends its own CORS headers. Its requests are too frequent for log
     * lines at info level.
     */
    isPublic?: true
  }
}

const headerForm = /^(?:token|bearer) +(\S{1,256})$/i

/** The token of `Authorization: token <API_TOKEN>` or `Authorization: Bearer <API_TOKEN>`. */
export function tokenInHeader(header: string | undefined): string | undefined {
  return header === undefined ? undefined : headerForm.exec(header)?.[1]
}
