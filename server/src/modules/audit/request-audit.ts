/** Builds the audit entries of requests and of people. */
import type { AnyOperation, ErrorCode } from '@reelkeep/contract'
import type { FastifyRequest } from 'fastify'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { ChangeRecord } from '../../platform/db/change-record.ts'
import type { OperationAudit, RecordedRequest, RequestAudit } from '../../platform/http/access/request-audit.ts'
import { type AuditObject, changeRecord, type NewEntry, objectFinder } from './audit.ts'
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
  return (request: RecordedRequest): NewEntry => {
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

/** The record of the revocation of a leaked token, reported by a program without a token of its own. */
export const recordReport = ({ id, ip, headers }: FastifyRequest, object: AuditObject): ChangeRecord =>
  changeRecord(() => ({
    actor: { kind: 'person', id: null, name: 'token report' },
    action: 'reportTokens',
    ...{ object, outcome: 'success', errorCode: null, address: ip },
    ...{ userAgent: headers['user-agent'] ?? null, requestId: id },
  }))

type PersonChange = {
  readonly action: string
  readonly name: string
  readonly client?: { readonly ip: string; readonly userAgent: string }
}

/** The record of a change by a person who is not a member yet, or who has no session. */
export const personRecord = ({ action, name, client }: PersonChange): ChangeRecord =>
  changeRecord(() => ({
    ...{ actor: { kind: 'person', id: null, name }, action, object: null, outcome: 'success', errorCode: null },
    ...{ address: client?.ip ?? null, userAgent: client?.userAgent ?? null, requestId: null },
  }))

/** A membership of a person who signs in or changes their account. */
type Membership = { readonly organizationId: OrganizationId; readonly memberId: string }

/** An action of a person outside of an organization, for example a sign-in or a new password. */
type PersonAction = {
  readonly action: string
  /** Null if it succeeded. */
  readonly errorCode: ErrorCode | null
  readonly memberships: readonly Membership[]
  readonly client: { readonly ip: string; readonly userAgent: string }
  readonly requestId: string | null
}

/** Records the action in the logs of all organizations of the person. */
export async function recordPersonAction(writer: AuditWriter, given: PersonAction): Promise<void> {
  const { action, errorCode, memberships, client, requestId } = given
  const entryOf = (memberId: string): NewEntry => ({
    ...{ actor: { kind: 'member', id: memberId, name: null }, action, object: { type: 'member', id: memberId } },
    ...{ outcome: errorCode === null ? 'success' : 'refused', errorCode },
    ...{ address: client.ip, userAgent: client.userAgent || null, requestId },
  })
  const record = (organizationId: OrganizationId, entry: NewEntry) =>
    errorCode === null ? writer.record(organizationId, entry) : writer.recordRefusal(organizationId, entry)
  await Promise.all(memberships.map(({ organizationId, memberId }) => record(organizationId, entryOf(memberId))))
}
