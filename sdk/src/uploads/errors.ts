import { ReelkeepError } from '../http/errors.ts'
import { hintFor } from './storage-error-hints.ts'

/** The file cannot be uploaded: it does not exist, cannot be read, or is empty. */
export class FileError extends ReelkeepError {
  override name = 'FileError'
}

/** The file is not the one with which the upload started, or it changed during the upload. */
export class FileChangedError extends FileError {
  override name = 'FileChangedError'
}

/** Storage refused the upload. The end of the message says what to do. */
export class StorageError extends ReelkeepError {
  override name = 'StorageError'
  /** HTTP status; 0 if there was no readable response. */
  readonly status: number
  /** Error code of storage, such as `AccessDenied`; empty if there was none. */
  readonly code: string

  constructor(message: string, { status, code }: { readonly status: number; readonly code: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Converts a response of storage that is not 2xx to an error. */
export function toStorageError({ status, text }: StorageResponse): StorageError {
  const code = xmlValue(text, 'Code')
  const summary = [status, code, xmlValue(text, 'Message')].filter(Boolean).join(' ')
  return new StorageError(`Storage responded with ${summary}. ${hintFor(status, code)}`, {
    status,
    code,
  })
}

type StorageResponse = { readonly status: number; readonly text: string }

/** Reads one element of the XML body. */
const xmlValue = (xml: string, name: string) => new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(xml)?.[1] ?? ''
