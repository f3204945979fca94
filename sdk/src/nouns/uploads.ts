import type { Caller } from '../http/call.ts'
import { said } from '../http/said.ts'
import type { Settings } from '../http/settings.ts'
import type { ResumeOptions, UploadFile, UploadOptions, UploadWish } from '../uploads/options.ts'
import { resumeFile, sendFile } from '../uploads/send.ts'

/** Files to storage. No byte of them passes the service. */
export const uploads = (caller: Caller, settings: Pick<Settings, 'timeoutSeconds'>) => {
  const withLimit = <Options extends ResumeOptions>(options: Options): Options => ({
    ...options,
    timeoutSeconds: said(options.timeoutSeconds, settings.timeoutSeconds),
  })
  return {
    /**
     * Uploads a file and answers its asset, which is processed from then on. A line that breaks is
     * waited for, and after it only what is missing is sent. Once `signal` is aborted nothing more
     * is sent; the session stays open for `resume`. With an `idempotencyKey` of your own it may be
     * run again as well, within 24 hours: the same upload is gone on with, or answered if it was done.
     *
     * `assets:write` is enough. Who lacks `assets:read` sends a part again of which only the answer was lost.
     */
    send: (file: UploadFile, wish: UploadWish, options: UploadOptions = {}) =>
      sendFile(caller, file, wish, withLimit(options)),

    /**
     * Goes on with an upload that was broken off, from another process or hours later: sends what is
     * missing of the file. Answers the asset as well if everything had arrived. In Node, another
     * file of the same size is refused where parts of the first one have arrived. Elsewhere only
     * sizes are compared: make sure that it is the same file.
     *
     * A session is over 18 hours after it was created or last renewed, unless the operator has set
     * other times; then this throws a ConflictError. Going on renews it when that is due, up to
     * seven days after its creation.
     *
     * It needs `assets:read` beside `assets:write`.
     */
    resume: (sessionUuid: string, file: UploadFile, options: ResumeOptions = {}) =>
      resumeFile(caller, sessionUuid, file, withLimit(options)),
  }
}
