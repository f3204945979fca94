/** API calls of one upload session. All of them are idempotent, so they are retried. */
import type { NewUploadSession, ReceivedParts, SignedParts } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { ConflictError, PermissionError } from '../http/errors.ts'
import type { CallOptions } from '../http/settings.ts'
import type { Retrier } from './retrier.ts'

type Session = { readonly uuid: string; readonly fileBytes: number }

export type SessionCalls = ReturnType<typeof sessionCalls>

export function sessionCalls({ call }: Caller, retrier: Retrier, options: CallOptions, { uuid, fileBytes }: Session) {
  const params = { session_uuid: uuid }
  const sign = (numbers: number[]): Promise<SignedParts> =>
    retrier.run(() => call('signUploadParts', { params, body: { file_size_bytes: fileBytes, numbers } }, options))
  const renew = (): Promise<NewUploadSession> => retrier.run(() => call('renewUploadSession', { params }, options))

  return {
    read: () => retrier.run(() => call('readUploadSession', { params }, options)),
    complete: () => retrier.run(() => call('completeUploadSession', { params }, options)),
    readAsset: (assetId: string) => retrier.run(() => call('readAsset', { params: { asset_id: assetId } }, options)),

    /** Returns the received parts; undefined if no part was ever signed, or if the token lacks `assets:read`. */
    receivedParts: (): Promise<ReceivedParts | undefined> =>
      retrier
        .run(() => call('listUploadParts', { params }, options))
        .catch(ignoreForbidden)
        .catch(ignoreConflict('upload_not_in_parts')),

    /** Renews the session if it has expired during a long upload; received parts are kept. */
    sign: async (numbers: number[]): Promise<SignedParts> => {
      const signed = await sign(numbers).catch(ignoreConflict('upload_session_closed'))
      if (signed) return signed
      // Throws the reason if the session cannot be renewed.
      await renew()
      return sign(numbers)
    },
  }
}

/** Returns an error handler that returns undefined for a conflict with this code, and throws any other error. */
export const ignoreConflict =
  (code: string) =>
  (error: unknown): undefined => {
    if (error instanceof ConflictError && error.code === code) return undefined
    throw error
  }

export const ignoreForbidden = (error: unknown): undefined => {
  if (error instanceof PermissionError) return undefined
  throw error
}
