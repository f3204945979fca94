/** Missing objects of an asset, and what to do about them. */

/**
 * Kinds of referenced objects. `thumbnails` includes the generated cover, the storyboard, the filmstrip and the
 * waveform, `covers` is the cover that a client chose; `generated_subtitles` includes tracks extracted from the source
 * file.
 */
export type Kind = 'source' | 'segments' | 'thumbnails' | 'covers' | 'generated_subtitles' | 'uploaded_subtitles'

export type Remedy =
  /** The source file exists: `--retry` processes it again. */
  | 'retry'
  /** The object must be restored from a backup or uploaded again. */
  | 'restore'

export type Expected = Readonly<Record<Exclude<Kind, 'source'>, readonly string[]>>

export type Missing = {
  readonly kind: Kind
  /** `objects` of `of` objects are missing; `first` is the key of one of them. */
  readonly objects: number
  readonly of: number
  readonly first: string
  readonly remedy: Remedy
}

const reproducibleKinds: readonly Kind[] = ['segments', 'thumbnails', 'generated_subtitles']

/**
 * Finds the kinds with missing objects. `exists` checks objects in the media bucket; `source` is the key of the
 * expected source file and whether it exists.
 */
export function missingKinds(
  expected: Expected,
  exists: (key: string) => boolean,
  source: { readonly key: string; readonly exists: boolean } | undefined,
): Missing[] {
  const mediaKinds = Object.entries(expected).flatMap(([name, keys]) => {
    const kind = name as Kind
    const missing = keys.filter((key) => !exists(key))
    const [first] = missing
    if (first === undefined) return []
    const isReproducible = reproducibleKinds.includes(kind) && source?.exists === true
    const remedy: Remedy = isReproducible ? 'retry' : 'restore'
    return [{ kind, objects: missing.length, of: keys.length, first, remedy }]
  })
  if (!source || source.exists) return mediaKinds
  return [{ kind: 'source', objects: 1, of: 1, first: source.key, remedy: 'restore' }, ...mediaKinds]
}
