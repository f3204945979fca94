/** Half open: `start` is the first byte, `end` the first one no longer in it. */
export type ByteRange = { readonly start: number; readonly end: number }

/** One object that lies elsewhere and is read in pieces. Whoever gives it knows where; what looks into it does not. */
export type SourceObject = {
  readonly sizeBytes: number
  /**
   * Yields exactly the bytes of the range, which lies within the object. Fewer, or an error, mean
   * that it cannot be read now.
   */
  read(range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** A file of this machine's, which nobody writes to any more. */
export type LocalFile = { readonly path: string }

export type Source = SourceObject | LocalFile

export const localFile = (path: string): LocalFile => ({ path })

export const isLocalFile = (source: Source): source is LocalFile => 'path' in source

/** The source could not be read. That says nothing about the video in it. */
export class SourceUnreadable extends Error {
  override readonly name = 'SourceUnreadable'
}

/** More of the source was asked for than may be read. */
export class ReadBudgetSpent extends Error {
  override readonly name = 'ReadBudgetSpent'
}
