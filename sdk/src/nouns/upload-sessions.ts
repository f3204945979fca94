import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** What an upload is made of; `uploads` does all of it. */
export const uploadSessions = ({ call }: Caller) => ({
  /** Also creates the asset. The answer holds the form that the file is posted with. */
  create: (body: BodyOf<'createUploadSession'>, options?: CallOptions) =>
    call('createUploadSession', { body }, options),

  /** Newest first. */
  list: (query: QueryOf<'listUploadSessions'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listUploadSessions', { query: { ...query, ...cursor } }, options)),

  read: (uuid: string, options?: UnkeyedOptions) =>
    call('readUploadSession', { params: { session_uuid: uuid } }, options),

  /** What has arrived is thrown away. */
  cancel: (uuid: string, options?: UnkeyedOptions) =>
    call('cancelUploadSession', { params: { session_uuid: uuid } }, options),

  /** More time, and a form that is signed anew. */
  renew: (uuid: string, options?: UnkeyedOptions) =>
    call('renewUploadSession', { params: { session_uuid: uuid } }, options),

  /** Addresses to send parts of a large file to. */
  signParts: (uuid: string, body: BodyOf<'signUploadParts'>, options?: UnkeyedOptions) =>
    call('signUploadParts', { params: { session_uuid: uuid }, body }, options),

  /** What has arrived of a file that is sent in parts. */
  listParts: (uuid: string, options?: UnkeyedOptions) =>
    call('listUploadParts', { params: { session_uuid: uuid } }, options),

  /** After a form it is a hint; after parts it joins them. */
  complete: (uuid: string, options?: UnkeyedOptions) =>
    call('completeUploadSession', { params: { session_uuid: uuid } }, options),
})
