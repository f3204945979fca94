import { ReelkeepError } from '../http/errors.ts'
import { cureOf } from './storage-cures.ts'

/** The file cannot be uploaded: it is not there, cannot be read, or is empty. */
export class FileError extends ReelkeepError {
  override name = 'FileError'
}

/** The file is not the one that the upload began with, or did not stay as it was while it was sent. */
export class FileChangedError extends FileError {
  override name = 'FileChangedError'
}

/** Storage refused what was sent to it. The message ends with what to do about it. */
export class StorageError extends ReelkeepError {
  override name = 'StorageError'
  /** Zero if storage gave no answer that may be read. */
  readonly status: number
  /** As storage names the fault, such as `AccessDenied`; empty if it did not say. */
  readonly code: string

  constructor(
    message: string,
    { status, code }: { readonly status: number; readonly code: string },
  ) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** From an answer that is not 2xx. */
export function toStorageError({ status, text }: StorageAnswer): StorageError {
  const code = tagged(text, 'Code')
  const said = [status, code, tagged(text, 'Message')].filter(Boolean).join(' ')
  return new StorageError(`Storage answered ${said}. ${cureOf(status, code)}`, { status, code })
}

type StorageAnswer = { readonly status: number; readonly text: string }

/** Storage speaks XML, but only two words of it are read. */
const tagged = (xml: string, name: string) =>
  new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(xml)?.[1] ?? ''
