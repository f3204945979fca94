import type { AnyOperation, ErrorCode } from '@reelkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangeRecord } from '../../db/change-record.ts'

/** What is recorded of a request. */
export type RecordedRequest = Pick<FastifyRequest, 'id' | 'ip' | 'headers' | 'principal' | 'params'> & {
  readonly problemCode?: ErrorCode
  readonly change?: ChangeRecord | undefined
}

/** Records the requests of an operation in the audit log. */
export type OperationAudit = {
  /** Returns the record of the change that the request is about to make; undefined for a read. */
  readonly begin: (request: FastifyRequest) => ChangeRecord | undefined
  /** Records a request that changed nothing, if necessary. The response is sent when the promise resolves. */
  readonly end: (request: RecordedRequest, reply: Pick<FastifyReply, 'statusCode'>) => Promise<void> | undefined
}

export type RequestAudit = (operation: AnyOperation) => OperationAudit

declare module 'fastify' {
  interface FastifyRequest {
    /** The record of the change that the request makes. */
    change?: ChangeRecord | undefined
  }
}
