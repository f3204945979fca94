import type { ErrorCode, Scope } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import type { AssetId, OrganizationId, TokenId, UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { Span } from '../../observability/tracing.ts'

/** The authenticated caller: a valid token, its organization and its scopes. */
export type Principal = {
  /** The API token; for an upload token, the one that created it. */
  readonly tokenId: TokenId
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

export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope) =>
  scopes.includes(scope) || scopes.includes('*')

export function assertScope(principal: Pick<Principal, 'scopes'>, scope: Scope): void {
  if (hasScope(principal, scope)) return
  throw refused('insufficient_scope', `The token lacks the scope ${scope}. Use a token that has it.`)
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
