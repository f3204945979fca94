import type { AnswerOf, uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { type Opened, SESSIONS } from './uploads.ts'

type SignedParts = AnswerOf<typeof uploadSessions.signUploadParts>
type ArrivedParts = AnswerOf<typeof uploadSessions.listUploadParts>

const pathOf = ({ upload_session }: Opened) => `${SESSIONS}${upload_session.uuid}/parts/`

export const signParts = (
  caller: Caller,
  opened: Opened,
  numbers: readonly number[],
  fileBytes: number,
) => caller.post<SignedParts>(pathOf(opened), { file_size_bytes: fileBytes, numbers })

export const listParts = (caller: Caller, opened: Opened) =>
  caller.get<ArrivedParts>(pathOf(opened))

/** Puts a part to the address that was signed for it, and answers storage's status. */
export async function putPart(url: string | undefined, bytes: Uint8Array): Promise<number> {
  const answer = await fetch(url ?? '', { method: 'PUT', body: new Uint8Array(bytes) })
  await answer.body?.cancel()
  return answer.status
}
