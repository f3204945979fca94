import type { BodyOf, Caller } from '../../http/call.ts'
import { firstNumber } from '../../http/first-number.ts'
import { listOf } from '../../http/list.ts'
import type { CallOptions, Settings, UnkeyedOptions } from '../../http/settings.ts'
import type { UploadFile, VersionUploadOptions } from '../../uploads/options.ts'
import { sendVersion } from '../../uploads/send.ts'

/** Versions of an asset: further files under the same id. */
export const versions = (caller: Caller, settings: Pick<Settings, 'timeoutSeconds'>) => ({
  /** Opens an upload session for a new version. `upload` performs all steps. */
  create: (assetId: string, body: BodyOf<'createVersion'> = {}, options?: CallOptions) =>
    caller.call('createVersion', { params: { asset_id: assetId }, body }, options),

  /** Lists the versions, newest first. */
  list: (assetId: string, options?: UnkeyedOptions) =>
    listOf(() => caller.call('listVersions', { params: { asset_id: assetId } }, options)),

  /** Plays another version, for example to roll back. */
  activate: (assetId: string, number: number, options?: UnkeyedOptions) =>
    caller.call('activateVersion', { params: { asset_id: assetId, version_number: number } }, options),

  /**
   * Uploads a file as a new version and returns the version. The asset plays the version when it has been processed.
   * If the connection is lost, it retries and then sends only the missing bytes. To continue in another process, pass
   * the uuid of the session to `uploads.resume`.
   */
  upload: (assetId: string, file: UploadFile, options: VersionUploadOptions = {}) =>
    sendVersion(caller, assetId, file, {
      ...options,
      timeoutSeconds: firstNumber(options.timeoutSeconds, settings.timeoutSeconds),
    }),
})
