/** What every platform does with a file: the names that `node.ts` and `web.ts` share. */

/** A file that is opened for sending. */
export type Source = {
  /** Empty if it has none. */
  readonly name: string
  readonly bytes: number
  /** Throws FileChangedError when it is not what it was when it was opened, as far as the platform can tell. */
  readonly assertUnchanged: () => Promise<void>
  /** In hexadecimal digits; undefined where the platform cannot tell. */
  readonly md5: (range: Range, signal: AbortSignal) => Promise<string | undefined>
  /** Posts the form with the file as its last field. Rejects with ConnectionError when no answer came. */
  readonly post: (form: Form, manner: Manner) => Promise<StorageAnswer>
  /** Puts a range of the file to the address. Rejects like `post`. */
  readonly put: (url: string, range: Range, manner: Manner) => Promise<StorageAnswer>
  readonly close: () => Promise<void>
}

/** From the first byte to the one before `end`. */
export type Range = { readonly begin: number; readonly end: number }

export type Form = { readonly link: string; readonly fields: Readonly<Record<string, string>> }

export type Manner = {
  /** Told how many bytes of the file have gone out in this try. */
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
  /** A try in which nothing moves for so long is over; what is under way on a slow line has its own time besides. */
  readonly idleSeconds: number
}

export type StorageAnswer = { readonly status: number; readonly text: string }
