import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** The single steps of an upload; `uploads` performs all of them. */
export const uploadSessions = ({ call }: Caller) => ({
  /** Creates a session and its asset. Returns the form with which to post the file. */
  create: (body: BodyOf<'createUploadSession'>, options?: CallOptions) =>
    call('createUploadSession', { body }, options),

  /** Lists sessions, newest first. */
  list: (query: QueryOf<'listUploadSessions'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listUploadSessions', { query: { ...query, ...cursor } }, options)),

  read: (uuid: string, options?: UnkeyedOptions) =>
    call('readUploadSession', { params: { session_uuid: uuid } }, options),

  /** Cancels the session and discards the bytes that were received. */
  cancel: (uuid: string, options?: UnkeyedOptions) =>
    call('cancelUploadSession', { params: { session_uuid: uuid } }, options),

  /** Extends the session and returns a newly signed form. */
  renew: (uuid: string, options?: UnkeyedOptions) =>
    call('renewUploadSession', { params: { session_uuid: uuid } }, options),

  /** Returns URLs for uploading parts of a large file. */
  signParts: (uuid: string, body: BodyOf<'signUploadParts'>, options?: UnkeyedOptions) =>
    call('signUploadParts', { params: { session_uuid: uuid }, body }, options),

  /** Returns the parts received so far. */
  listParts: (uuid: string, options?: UnkeyedOptions) =>
    call('listUploadParts', { params: { session_uuid: uuid } }, options),

  /**
   * Joins the parts. If the file was sent with the form, this only makes the service check for the file immediately.
   */
  complete: (uuid: string, options?: UnkeyedOptions) =>
    call('completeUploadSession', { params: { session_uuid: uuid } }, options),
})
