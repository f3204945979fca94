import type { uploadSessions } from '@reelkeep/contract'
import type { Caller } from '../caller.ts'
import { formOf, postByFetch } from './upload-form.ts'

type Opened = uploadSessions.NewUploadSession

/** Path relative to the organization. */
const SESSIONS = 'assets/upload-sessions/'

/** A file that is long enough to be accepted for processing, but not a video. */
const someFile = Buffer.from('a file of thirty-two whole bytes')

/** Creates an asset that waits for its file, with its upload session. */
export async function openSession(caller: Caller, more: object = {}): Promise<Opened> {
  const input = { title: 'A video', resolutions: ['360p'], ...more }
  const { status, body, text } = await caller.post<Opened>(SESSIONS, input)
  if (status !== 201) throw new Error(`Cannot create an upload session: ${text}`)
  return body
}

/** Posts a file to storage with the session's form; returns the status. */
export async function postForm({ client_payload }: Opened): Promise<number> {
  return (await postByFetch(formOf(client_payload, someFile))).status
}

/** Creates an asset whose file has arrived. */
export async function uploadAsset(caller: Caller, more: object = {}): Promise<Opened> {
  const opened = await openSession(caller, more)
  await postForm(opened)
  const { status, text } = await caller.post(`${SESSIONS}${opened.upload_session.uuid}/complete/`)
  if (status !== 200) throw new Error(`The upload is not complete: ${text}`)
  return opened
}
