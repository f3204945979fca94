import type { AnyOperation } from '@reelkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangeRecord } from '../../db/change-record.ts'

/** Records the requests of an operation in the audit log. */
export type OperationAudit = {
  /** Returns the record of the change that the request is about to make; undefined for a read. */
  readonly begin: (request: FastifyRequest) => ChangeRecord | undefined
  /** Records a request that changed nothing, if necessary. The response is sent when the promise resolves. */
  readonly end: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined
}

export type RequestAudit = (operation: AnyOperation) => OperationAudit

declare module 'fastify' {
  interface FastifyRequest {
    /** The record of the change that the request makes. */
    change?: ChangeRecord | undefined
  }
}
