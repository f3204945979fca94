import type { ErrorCode, Scope } from '@reelkeep/contract'
import type { OrganizationId, TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Who calls: a valid token, its organization, and what it may do. */
export type Principal = {
  readonly tokenId: TokenId
  readonly organizationId: OrganizationId
  readonly scopes: readonly Scope[]
  readonly expiresAt: Timestamp | null
}

export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope) =>
  scopes.includes(scope) || scopes.includes('*')

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before a registered operation runs. */
    principal: Principal
    /** Set when the request is answered with a problem. */
    problemCode?: ErrorCode
  }
  interface FastifyContextConfig {
    /** Id of the contract's operation, for logs and metrics. */
    operation?: string
    /** Anybody's page may read it, and its route tells browsers so itself. It is asked for too often to be worth a line. */
    isPublic?: true
  }
}

const headerForm = /^(?:token|bearer) +(\S{1,256})$/i

/** The token of `Authorization: token <API_TOKEN>`, or of the same with `Bearer`. */
export function tokenInHeader(header: string | undefined): string | undefined {
  return header === undefined ? undefined : headerForm.exec(header)?.[1]
}
