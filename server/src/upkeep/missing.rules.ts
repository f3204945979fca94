/** What is missing of an asset, and what can be done about it. */

/**
 * What rows point at: the uploaded file, what players ask for, pictures, and texts that were made
 * or that somebody uploaded.
 */
export type Kind = 'source' | 'segments' | 'pictures' | 'made_subtitles' | 'uploaded_subtitles'

export type Remedy =
  /** The file is there: `--retry` has it made again. */
  | 'retry'
  /** Only a backup has it, or whoever uploaded it. */
  | 'restore'

export type Expected = Readonly<Record<Exclude<Kind, 'source'>, readonly string[]>>

export type Missing = {
  readonly kind: Kind
  /** How many objects, of how many, and the name of one of them. */
  readonly objects: number
  readonly of: number
  readonly first: string
  readonly remedy: Remedy
}

const madeFromTheFile: readonly Kind[] = ['segments', 'pictures', 'made_subtitles']

/**
 * `isThere` is asked about objects in the media bucket; `source` is the key of a file that should
 * be there, and whether it is.
 */
export function missingOf(
  expected: Expected,
  isThere: (key: string) => boolean,
  source: { readonly key: string; readonly isThere: boolean } | undefined,
): Missing[] {
  const ofMedia = Object.entries(expected).flatMap(([name, keys]) => {
    const kind = name as Kind
    const gone = keys.filter((key) => !isThere(key))
    const [first] = gone
    if (first === undefined) return []
    const canBeMade = madeFromTheFile.includes(kind) && source?.isThere === true
    const remedy: Remedy = canBeMade ? 'retry' : 'restore'
    return [{ kind, objects: gone.length, of: keys.length, first, remedy }]
  })
  if (!source || source.isThere) return ofMedia
  return [{ kind: 'source', objects: 1, of: 1, first: source.key, remedy: 'restore' }, ...ofMedia]
}
