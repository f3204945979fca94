/**
 * `POST /token-reports`: secret scanners report tokens and one-time links that they found in public places, in the
 * format of GitHub's secret scanning. It needs no authentication, because only someone who has the token can report it.
 * The response does not depend on whether a token exists.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { Database } from '../../platform/db/database.ts'
import type { CreatedObject } from '../../platform/db/statement.ts'
import { openCounter } from '../../platform/http/access/rate-limits/rate-limit.ts'
import { checkBody } from '../../platform/http/validation.ts'
import { clientNetwork } from '../../platform/network/client-network.ts'
import type { OnRevoked } from './tokens.routes.ts'
import { revokeLeakedTokens } from './tokens.ts'

const REPORTS_PER_MINUTE = 10
/** Each token costs a database query. */
const TOKENS_PER_REPORT_MAX = 100

/** Scanners also send where they found the token. These fields are ignored. */
const reportSchema = {
  type: 'array',
  maxItems: TOKENS_PER_REPORT_MAX,
  items: { type: 'object', required: ['token'], properties: { token: { type: 'string', maxLength: 256 } } },
}
type Report = readonly { readonly token: string }[]

/** Returns the record of the revocation of a reported token. */
export type RecordReport = (request: FastifyRequest, object: CreatedObject) => ChangeRecord

export function registerTokenReports(
  http: FastifyInstance,
  database: Database,
  { onRevoked, recordReport }: { readonly onRevoked: OnRevoked; readonly recordReport: RecordReport },
): void {
  const check = checkBody(reportSchema)
  const countReport = openCounter({ name: 'token-reports', perMinute: REPORTS_PER_MINUTE })
  http.post('/token-reports', {
    config: { operation: 'reportTokens' },
    onRequest: (request, reply) => countReport(clientNetwork(request.ip), reply),
    handler: async (request, reply) => {
      check(request.body ?? null)
      const texts = (request.body as Report).map(({ token }) => token)
      await revokeLeakedTokens(database, texts, {
        onRevoked: ({ organizationId, ...token }) => {
          const session = 'uploadSessionUuid' in token && { session: token.uploadSessionUuid }
          const revoked = 'id' in token ? { token_id: token.id } : session || {}
          request.log.info({ organization_id: organizationId, ...revoked }, 'revoked reported token')
          onRevoked(organizationId)
        },
        recordFor: (object) => recordReport(request, object),
      })
      return reply.status(204).send()
    },
  })
}
