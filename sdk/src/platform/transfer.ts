/** Interface that `node.ts` and `web.ts` implement. */

/** A file opened for upload. */
export type Source = {
  /** File name; empty for a Blob without a name. */
  readonly name: string
  readonly bytes: number
  /** Throws FileChangedError if the file has changed since it was opened, as far as the platform can detect. */
  readonly assertUnchanged: () => Promise<void>
  /** Returns the MD5 in hexadecimal. */
  readonly md5: (range: Range, signal: AbortSignal) => Promise<string>
  /** Posts the form with the file as its last field. Rejects with ConnectionError if there is no response. */
  readonly post: (form: Form, options: TransferOptions) => Promise<StorageResponse>
  /** Sends a range of the file with PUT. Rejects like `post`. */
  readonly put: (url: string, range: Range, options: TransferOptions) => Promise<StorageResponse>
  readonly close: () => Promise<void>
}

/** A half-open range: `end` is exclusive. */
export type Range = { readonly begin: number; readonly end: number }

export type Form = { readonly link: string; readonly fields: Readonly<Record<string, string>> }

export type TransferOptions = {
  /** Receives the number of bytes of the file sent in this attempt. */
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
  /** Time without progress after which the attempt fails, not counting the time for the bytes in flight. */
  readonly idleSeconds: number
}

export type StorageResponse = { readonly status: number; readonly text: string }
