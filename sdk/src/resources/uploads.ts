import type { Caller } from '../http/call.ts'
import { firstNumber } from '../http/first-number.ts'
import type { Settings } from '../http/settings.ts'
import type { ResumeOptions, UploadFile, UploadInput, UploadOptions } from '../uploads/options.ts'
import { resumeFile, sendFile } from '../uploads/send.ts'

/** Uploads files directly to storage. */
export const uploads = (caller: Caller, settings: Pick<Settings, 'timeoutSeconds'>) => {
  const withLimit = <Options extends ResumeOptions>(options: Options): Options => ({
    ...options,
    timeoutSeconds: firstNumber(options.timeoutSeconds, settings.timeoutSeconds),
  })
  return {
    /**
     * Uploads a file and returns its asset, whose processing starts. If the connection is lost, it retries and then
     * sends only the missing bytes. Aborting `signal` stops the upload; the session stays open for `resume`. With an
     * `idempotencyKey` of your own, calling it again within 24 hours resumes the same upload, or returns its asset.
     *
     * Needs the scope `assets:write`. Without `assets:read`, a part whose response was lost is sent again.
     */
    send: (file: UploadFile, input: UploadInput, options: UploadOptions = {}) =>
      sendFile(caller, file, input, withLimit(options)),

    /**
     * Uploads a file to an existing session, or resumes its interrupted upload, also in another process: sends the
     * missing bytes and returns the asset. It compares the received parts with the file, and throws if they differ.
     *
     * A session ends 18 hours after it was created or last renewed, unless `expires_in_seconds` or the operator has set
     * other times; then this throws a ConflictError. Resuming renews the session if necessary, up to seven days after
     * its creation.
     *
     * Needs the scopes `assets:read` and `assets:write`, or the session's upload token, with which a web page uploads
     * without an API token.
     */
    resume: (sessionUuid: string, file: UploadFile, options: ResumeOptions = {}) =>
      resumeFile(caller, sessionUuid, file, withLimit(options)),
  }
}
