import type { ErrorCode, Scope } from '@reelkeep/contract'
import type { AssetId, OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Span } from '../observability/tracing.ts'

/** Who calls: a valid token, its organization, and what it may do. */
export type Principal = {
  readonly tokenId: TokenId
  readonly organizationId: OrganizationId
  readonly scopes: readonly Scope[]
  readonly expiresAt: Timestamp | null
}

/** What a request turned out to be about. */
export type Subject = {
  /** Of those who come without a token of ours. */
  readonly organizationId?: OrganizationId
  readonly assetId: AssetId
}

export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope) =>
  scopes.includes(scope) || scopes.includes('*')

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before a registered operation runs. */
    principal: Principal
    /** Set when the request is answered with a problem. */
    problemCode?: ErrorCode
    /** Whose and what it is about, as far as that is known: for lines of the log. */
    subject?: Subject
    /** Set if the request is traced. */
    span?: Span | undefined
  }
  interface FastifyContextConfig {
    /** Id of the contract's operation, for logs and metrics. */
    operation?: string
    /**
     * Anybody's page may read it, and its route tells browsers so itself. It is asked for too often
     * to be worth a line.
     */
    isPublic?: true
  }
}

const headerForm = /^(?:token|bearer) +(\S{1,256})$/i

/** The token of `Authorization: token <API_TOKEN>`, or of the same with `Bearer`. */
export function tokenInHeader(header: string | undefined): string | undefined {
  return header === undefined ? undefined : headerForm.exec(header)?.[1]
}
