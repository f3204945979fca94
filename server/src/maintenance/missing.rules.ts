/** Missing objects of an asset, and what to do about them. */

/** Kinds of referenced objects: the source file, media segments, images, and generated or uploaded subtitles. */
export type Kind = 'source' | 'segments' | 'pictures' | 'made_subtitles' | 'uploaded_subtitles'

export type Remedy =
  /** The source file exists: `--retry` processes it again. */
  | 'retry'
  /** It must be restored from a backup or uploaded again. */
  | 'restore'

export type Expected = Readonly<Record<Exclude<Kind, 'source'>, readonly string[]>>

export type Missing = {
  readonly kind: Kind
  /** Number of missing objects, of how many, and the key of one. */
  readonly objects: number
  readonly of: number
  readonly first: string
  readonly remedy: Remedy
}

const madeFromTheFile: readonly Kind[] = ['segments', 'pictures', 'made_subtitles']

/**
 * `isThere` checks objects in the media bucket; `source` is the key of the expected source file and whether it
 * exists.
 */
export function missingOf(
  expected: Expected,
  isThere: (key: string) => boolean,
  source: { readonly key: string; readonly isThere: boolean } | undefined,
): Missing[] {
  const ofMedia = Object.entries(expected).flatMap(([name, keys]) => {
    const kind = name as Kind
    const missing = keys.filter((key) => !isThere(key))
    const [first] = missing
    if (first === undefined) return []
    const canBeMade = madeFromTheFile.includes(kind) && source?.isThere === true
    const remedy: Remedy = canBeMade ? 'retry' : 'restore'
    return [{ kind, objects: missing.length, of: keys.length, first, remedy }]
  })
  if (!source || source.isThere) return ofMedia
  return [{ kind: 'source', objects: 1, of: 1, first: source.key, remedy: 'restore' }, ...ofMedia]
}
