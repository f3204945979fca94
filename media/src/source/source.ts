/** A half-open range: `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/** An object in storage that is read in ranges. Its location is known only to the code that creates it. */
export type SourceObject = {
  readonly sizeBytes: number
  /**
   * Yields exactly the bytes of the range, which is within the object. Fewer bytes, or an error, mean that the
   * object cannot be read now.
   */
  read(range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** A local file that is not written any more. */
export type LocalFile = { readonly path: string }

export type Source = SourceObject | LocalFile

export const localFile = (path: string): LocalFile => ({ path })

export const isLocalFile = (source: Source): source is LocalFile => 'path' in source

/** The source could not be read. This error does not mean that the video is invalid. */
export class SourceUnreadable extends Error {
  override readonly name = 'SourceUnreadable'
}
export class ReadLimitExceeded extends Error {
  override readonly name = 'ReadLimitExceeded'
}
