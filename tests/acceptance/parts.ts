import type { ResponseOf, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { type Opened, SESSIONS } from './uploads.ts'

type SignedParts = ResponseOf<typeof uploadSessions.signUploadParts>
type ArrivedParts = ResponseOf<typeof uploadSessions.listUploadParts>

const pathOf = ({ upload_session }: Opened) => `${SESSIONS}${upload_session.uuid}/parts/`

export const signParts = (caller: Caller, opened: Opened, numbers: readonly number[], fileBytes: number) =>
  caller.post<SignedParts>(pathOf(opened), { file_size_bytes: fileBytes, numbers })

export const listParts = (caller: Caller, opened: Opened) => caller.get<ArrivedParts>(pathOf(opened))

/** Uploads a part to its signed URL and returns the status. */
export async function putPart(url: string | undefined, bytes: Uint8Array): Promise<number> {
  const response = await fetch(url ?? '', { method: 'PUT', body: new Uint8Array(bytes) })
  await response.body?.cancel()
  return response.status
}
