import { uploadSessions } from '@reelkeep/contract'
import { bytes, seconds } from './fields.ts'

const { FORM_BYTES_MAX, OBJECT_BYTES_MAX } = uploadSessions

/** Upload settings, which must be equal for the API and all workers. */
export const uploadSettings = {
  /** Maximum size of a file uploaded with a form; S3's limit is 5 GiB. */
  UPLOAD_FORM_BYTES_MAX: bytes(FORM_BYTES_MAX).default(FORM_BYTES_MAX),
  /** Maximum size of a file uploaded in parts. */
  UPLOAD_PARTS_BYTES_MAX: bytes(OBJECT_BYTES_MAX).default(1024 ** 4),
  /** How long an upload can be started after the session was created; signed URLs are valid for at most a week. */
  UPLOAD_LIFETIME_SECONDS: seconds(604_800).default(21_600),
  /** Maximum duration of an upload that starts just before its session expires. */
  UPLOAD_TRANSFER_SECONDS_MAX: seconds(604_800).default(43_200),
  /** Delay from the creation of a session to its first check; later checks are less frequent. */
  UPLOAD_FIRST_CHECK_SECONDS: seconds(3600).default(15),
  /**
   * Maximum time between two checks of a session while its form is valid. Without storage notifications, this limits
   * how long a form that is posted again can fill storage.
   */
  UPLOAD_CHECK_SECONDS_MAX: seconds(3600).default(60),
}

/** How often a worker checks for due sessions. */
export const sweepSettings = { UPLOAD_SWEEP_SECONDS: seconds(3600).default(5) }
