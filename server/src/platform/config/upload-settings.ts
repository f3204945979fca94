import { uploadSessions } from '@reelkeep/contract'
import { bytes, seconds } from './fields.ts'

const { FORM_BYTES_MAX, OBJECT_BYTES_MAX } = uploadSessions

/** What the API and the workers must agree upon about uploads. */
export const uploadSettings = {
  /** The largest file by a form; storage itself takes no more than 5 GiB that way. */
  UPLOAD_FORM_BYTES_MAX: bytes(FORM_BYTES_MAX).default(FORM_BYTES_MAX),
  /** The largest file in parts. */
  UPLOAD_PARTS_BYTES_MAX: bytes(OBJECT_BYTES_MAX).default(1024 ** 4),
  /** How long a session may be used to begin an upload; the signature of a part lives at most a week. */
  UPLOAD_LIFETIME_SECONDS: seconds(604_800).default(21_600),
  /** How long an upload may take that began just before its session expired. */
  UPLOAD_TRANSFER_SECONDS_MAX: seconds(604_800).default(43_200),
  /** How long after its creation a session is looked at for the first time; then ever less often. */
  UPLOAD_FIRST_LOOK_SECONDS: seconds(3600).default(15),
}

/** How often a worker asks which sessions are due. */
export const sweepSettings = { UPLOAD_SWEEP_SECONDS: seconds(3600).default(5) }
