/** The calls of one upload session. Each may be repeated without harm, so each has the patience of the line. */
import type { NewUploadSession, ReceivedParts, SignedParts } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { ConflictError, PermissionError } from '../http/errors.ts'
import type { CallOptions } from '../http/settings.ts'
import type { Line } from './patience.ts'

type Session = { readonly uuid: string; readonly fileBytes: number }

export type SessionCalls = ReturnType<typeof sessionCalls>

export function sessionCalls(
  { call }: Caller,
  line: Line,
  options: CallOptions,
  { uuid, fileBytes }: Session,
) {
  const params = { session_uuid: uuid }
  const sign = (numbers: number[]): Promise<SignedParts> =>
    line.through(() =>
      call('signUploadParts', { params, body: { file_size_bytes: fileBytes, numbers } }, options),
    )
  const renew = (): Promise<NewUploadSession> =>
    line.through(() => call('renewUploadSession', { params }, options))

  return {
    read: () => line.through(() => call('readUploadSession', { params }, options)),
    complete: () => line.through(() => call('completeUploadSession', { params }, options)),
    readAsset: (assetId: string) =>
      line.through(() => call('readAsset', { params: { asset_id: assetId } }, options)),

    /** What has arrived; undefined if no part was ever signed, or if the token may write but not ask. */
    arrived: (): Promise<ReceivedParts | undefined> =>
      line
        .through(() => call('listUploadParts', { params }, options))
        .catch(unlessForbidden)
        .catch(unless('upload_not_in_parts')),

    /** A long upload outlives its session's time: that is renewed, and what has arrived stays. */
    sign: async (numbers: number[]): Promise<SignedParts> => {
      const signed = await sign(numbers).catch(unless('upload_session_closed'))
      if (signed) return signed
      // Refused as well, and says why, if the session is over for good.
      await renew()
      return sign(numbers)
    },
  }
}

/** A conflict of this code is an answer, too. */
export const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (error instanceof ConflictError && error.code === code) return undefined
    throw error
  }

export const unlessForbidden = (error: unknown): undefined => {
  if (error instanceof PermissionError) return undefined
  throw error
}
