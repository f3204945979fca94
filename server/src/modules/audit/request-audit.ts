/** Builds the audit entries of requests. */
import type { AnyOperation } from '@reelkeep/contract'
import type { FastifyRequest } from 'fastify'
import type { OperationAudit, RequestAudit } from '../../platform/http/access/request-audit.ts'
import { changeRecord, type NewEntry, objectFinder } from './audit.ts'
import type { AuditWriter } from './audit-writer.ts'

const FORBIDDEN = 403

/**
 * Every request that changes something, or that could, is recorded: with the change if there is one, otherwise on its
 * own. Of reads, refusals are recorded, and those that the contract marks.
 */
export const requestAudit =
  (writer: AuditWriter): RequestAudit =>
  (operation) => {
    const isWrite = operation.method !== 'GET'
    const isRecorded = isWrite || operation.recordsRead === true
    const entryOf = entryBuilder(operation)
    return {
      begin: (request) => {
        if (!isWrite) return undefined
        request.change = changeRecord(() => entryOf(request))
        return request.change
      },
      end: (request, { statusCode }) => {
        // Without a principal, the organization in the path may be that of another client.
        if (request.principal === undefined) return undefined
        const { organizationId } = request.principal
        const isWritten = request.change?.isWritten === true
        if (statusCode === FORBIDDEN) return writer.recordRefusal(organizationId, entryOf(request))
        // A request that failed after its change was committed has two entries.
        if (statusCode >= 400 ? isWritten : isRecorded && !isWritten)
          return writer.record(organizationId, entryOf(request))
        return undefined
      },
    } satisfies OperationAudit
  }

function entryBuilder({ id, path }: AnyOperation) {
  const objectOf = objectFinder(path)
  return (request: FastifyRequest): NewEntry => {
    const { principal, problemCode = null, params, headers, ip } = request
    return {
      actor: { kind: principal.kind, id: principal.id, name: null },
      action: id,
      object: objectOf(params as Record<string, string>, principal.organizationId),
      outcome: problemCode === null ? 'success' : 'refused',
      errorCode: problemCode,
      address: ip,
      userAgent: headers['user-agent'] ?? null,
      requestId: request.id,
    }
  }
}
